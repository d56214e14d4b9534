#include "ops/common/axes.h"
#include "ops/common/letters.h"
#include "ops/common/views.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::repeat_like {

namespace {

using Ints = std::vector<int64_t>;

// Dimension `key` of operand `index`.
size_t axis(const OpCall& call, const char* key, const Dims& dims) {
  const int64_t number = call.attributes.int_or(key, 0);
  if (number < 0 || number >= static_cast<int64_t>(dims.size())) {
    call.fail(std::string(key) + " is " + std::to_string(number) + " of a tensor of rank " +
              std::to_string(dims.size()) + "; at least 0 and less than the rank would be right");
  }
  return static_cast<size_t>(number);
}

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0), like = tensor_operand(call, 1);
  if (!has_rank(x) || !has_rank(like)) return {without_dims(x)};
  Dims dims            = x.dims;
  const size_t at      = axis(call, "dim", dims);
  const int64_t number = like.dims[axis(call, "like_dim", like.dims)];
  const bool known     = dims[at] != Dims::kUnknown && number != Dims::kUnknown;
  dims[at]             = known ? dims[at] * number : Dims::kUnknown;
  return {with_dims(x, dims)};
}

// Every repetition may be made elsewhere; x itself stays whole along `dim`.
Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const Dims x = tensor_operand(call, 0).dims, like = tensor_operand(call, 1).dims;
  const size_t at          = axis(call, "dim", x);
  const std::string output = letters(x.size());
  std::string input = output, other = dots(like.size());
  input[at]                           = '.';
  other[axis(call, "like_dim", like)] = output[at];
  return {.text = factor_text(call, {input, other}, {output})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x   = value_of(call, 0);
  const Dims &dims = x.dims(), &like = value_of(call, 1).dims();
  const size_t at    = axis(call, "dim", dims);
  const int64_t many = like[axis(call, "like_dim", like)];
  int64_t before = 1, behind = 1;
  for (size_t i = 0; i < at; ++i) before *= dims[i];
  for (size_t i = at; i < dims.size(); ++i) behind *= dims[i];
  Dims result = dims;
  result[at] *= many;
  return {take(x, result, offsets_of(Ints{before, many, behind}, Ints{behind, 0, 1}))};
}

// The sum over the repetitions.
void grad(GradBuilder& builder) {
  const Type x    = tensor_operand(builder.call(), 0);
  const size_t at = axis(builder.call(), "dim", x.dims);
  Ints axes{static_cast<int64_t>(at)};
  int dx = builder.output_gradient(0);
  if (x.dims[at] == 1) {
    builder.set_input_gradient(0, builder.emit("ReduceSum", {{"axes", axes}, {"keepdims", int64_t{1}}}, {dx})[0]);
    return;
  }
  Ints shape(x.dims.begin(), x.dims.end());
  shape.insert(shape.begin() + static_cast<int64_t>(at), -1);
  dx = builder.emit("Reshape", {{"shape", shape}}, {dx})[0];
  builder.set_input_gradient(0, builder.emit("ReduceSum", {{"axes", axes}, {"keepdims", int64_t{0}}}, {dx})[0]);
}

}  // namespace

OpDef row() {
  return {
      .name = "RepeatLike",
      .doc =
          "x repeated along dimension `dim`, as often as dimension `like_dim` of operand 1 is large: what samples "
          "share, once for each sample",
      .domain        = "foreflow",
      .whole_because = "it repeats that dimension",
      .infer         = infer,
      .factors       = factors,
      .work          = copies_outputs,
      .eval          = eval,
      .grad          = grad,
      .samples =
          [] {
            return std::vector<Sample>{
                {{{"dim", int64_t{0}}, {"like_dim", int64_t{0}}}, {f32({1, 2}), i64({4, 2})}},
                {{{"dim", int64_t{1}}, {"like_dim", int64_t{2}}}, {f32({4, 2}), i64({2, 2, 4})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::repeat_like
