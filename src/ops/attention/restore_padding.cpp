#include "foreflow/base/nth.h"
#include "ops/attention/attention_core.h"
#include "ops/common/expected.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::restore_padding {

namespace {

// Operands: the tokens [t,h] of all samples, and token_offset[b,s], which begins with the place of each of them.
constexpr size_t kOffsets = 1;

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0), offsets = tensor_operand(call, kOffsets);
  check_dims(call, 0, Dims(2, Dims::kUnknown), "x");
  check_dims(call, kOffsets, Dims(2, Dims::kUnknown), "token_offset");
  Dims dims(3, Dims::kUnknown);
  if (has_rank(offsets)) {
    dims[0] = offsets.dims[0];
    dims[1] = offsets.dims[1];
  }
  if (has_rank(x)) dims[2] = x.dims[1];
  const int64_t room = times_dim(dims[0], dims[1]);
  if (has_rank(x) && room >= 0 && x.dims[0] > room)
    call.fail(std::to_string(x.dims[0]) + " tokens are more than the " + std::to_string(room) + " of token_offset");
  return {with_dims(x, dims)};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x      = value_of(call, 0);
  const Dims dims     = infer(call)[0].dims;
  const auto places   = value_of(call, kOffsets).to_ints();
  const auto values   = values_of<double>(x);
  const int64_t width = dims[2], rows = dims[0] * dims[1];
  std::vector<double> padded(static_cast<size_t>(rows * width));
  for (int64_t token = 0; token < x.dims()[0]; ++token) {
    const int64_t place = nth(places, token);
    if (place < 0 || place >= rows)
      call.fail("place " + std::to_string(place) + " of a token is not among " + std::to_string(rows));
    std::copy_n(values.begin() + token * width, width, padded.begin() + place * width);
  }
  return {array_of(x.dtype(), dims, padded)};
}

void grad(GradBuilder& builder) {
  if (!builder.wanted(0)) return;
  const Type x = tensor_operand(builder.call(), 0);
  if (!has_dims(x)) builder.call().fail("the number of tokens must be known to differentiate");
  const auto list = [](int64_t number) { return std::vector<int64_t>{number}; };
  const int all   = builder.emit("Reshape", {{"shape", list(-1)}}, {builder.input(kOffsets)})[0];
  const int own = builder.emit("Slice", {{"starts", list(0)}, {"ends", list(x.dims[0])}, {"axes", list(0)}}, {all})[0];
  const int rows =
      builder.emit("Reshape", {{"shape", std::vector<int64_t>{-1, x.dims[1]}}}, {builder.output_gradient(0)})[0];
  builder.set_input_gradient(0, builder.emit("Gather", {{"axis", 0}}, {rows, own})[0]);
}

}  // namespace

OpDef row() {
  return {
      .name          = "RestorePadding",
      .doc           = "tokens[t,h], token_offset[b,s] -> [b,s,h] with each token at its place, and 0 elsewhere",
      .domain        = "com.microsoft",
      .whole_because = "it takes tokens of all samples from one row",
      .infer         = infer,
      .factors       = [](const OpCall& call) -> Factors {
        return splittable(call) ? Factors{.text = factor_text(call, {".h"}, {"..h"})} : Factors{};
      },
      .work = [](const OpCall& call, std::span<const Type> outputs) { return moves(call, outputs); },
      .eval = eval,
      .grad = grad,
      .samples =
          [] {
            const auto places = [](const Dims& dims, const std::vector<int64_t>& all) {
              return std::vector<std::pair<size_t, Array>>{{kOffsets, array_of(DType::i32, dims, all)}};
            };
            return std::vector<Sample>{
                {{}, {f32({3, 4}), Type::tensor(DType::i32, {2, 3})}, places({2, 3}, {0, 3, 4, 1, 2, 5})},
                {{}, {f32({2, 2}), Type::tensor(DType::i32, {1, 2})}, places({1, 2}, {0, 1})}};
          },
  };
}

}  // namespace foreflow::ops::definitions::restore_padding
