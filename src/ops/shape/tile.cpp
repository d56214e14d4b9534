#include "foreflow/ir/countable.h"
#include "ops/common/axes.h"
#include "ops/common/letters.h"
#include "ops/common/views.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::tile {

namespace {

std::vector<int64_t> repeats_of(const OpCall& call, size_t rank) {
  const std::vector<int64_t> repeats = *integers(call, "repeats", 1).list;
  if (repeats.size() != rank) {
    call.fail("has " + std::to_string(repeats.size()) + " repeats for a tensor of rank " + std::to_string(rank));
  }
  return repeats;
}

std::vector<Type> infer(const OpCall& call) {
  const Type x           = tensor_operand(call, 0);
  const Integers repeats = integers(call, "repeats", 1);
  if (!repeats.given) call.fail("has neither an operand nor an attribute `repeats`");
  if (!has_rank(x)) return {without_dims(x)};
  if (!repeats.list) return {with_dims(x, Dims(x.dims.size(), Dims::kUnknown))};
  Dims dims = x.dims;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    const int64_t repeats = repeats_of(call, dims.size())[axis];
    if (repeats < 0) call.fail("repeats " + std::to_string(repeats) + " times; 0 or more would be right");
    if (dims[axis] != Dims::kUnknown) dims[axis] = ir::clamped_product(dims[axis], repeats);
  }
  return {with_dims(x, dims)};
}

Factors factors(const OpCall& call) {
  if (!splittable(call) || !integers(call, "repeats", 1).list) return {};
  std::string text                   = letters(tensor_operand(call, 0).dims.size());
  const std::vector<int64_t> repeats = repeats_of(call, text.size());
  for (size_t axis = 0; axis < text.size(); ++axis) {
    if (repeats[axis] != 1) text[axis] = '.';
  }
  return {.text = factor_text(call, {text}, {text})};
}

// The result as [repeat, dim, repeat, dim, ..]: a repetition moves no step in x.
std::vector<Array> eval(const OpCall& call) {
  const Array& x                     = value_of(call, 0);
  const std::vector<int64_t> repeats = repeats_of(call, x.dims().size());
  const Offsets own                  = strides_of(x.dims());
  std::vector<int64_t> shape, strides;
  for (size_t axis = 0; axis < repeats.size(); ++axis) {
    shape.insert(shape.end(), {repeats[axis], x.dims()[axis]});
    strides.insert(strides.end(), {0, own[axis]});
  }
  return {take(x, infer(call)[0].dims, offsets_of(shape, strides))};
}

// dy as [repeat, dim, repeat, dim, ..], summed over the repetitions.
void grad(GradBuilder& builder) {
  const OpCall& call = builder.call();
  const Type x       = tensor_operand(call, 0);
  if (!has_dims(x) || integers(call, "repeats", 1).unknown()) {
    call.fail("the shape and the repeats must be known to differentiate");
  }
  const std::vector<int64_t> repeats = repeats_of(call, x.dims.size());
  std::vector<int64_t> shape, axes;
  for (size_t axis = 0; axis < repeats.size(); ++axis) {
    if (repeats[axis] != 1) {
      axes.push_back(static_cast<int64_t>(shape.size()));
      shape.push_back(repeats[axis]);
    }
    shape.push_back(x.dims[axis]);
  }
  int dx = builder.output_gradient(0);
  if (!axes.empty()) {
    dx = builder.emit("Reshape", {{"shape", shape}}, {dx})[0];
    dx = builder.emit("ReduceSum", {{"axes", axes}, {"keepdims", int64_t{0}}}, {dx})[0];
  }
  builder.set_input_gradient(0, dx);
}

}  // namespace

OpDef row() {
  return {
      .name            = "Tile",
      .doc             = "x[a,b,..] -> y[r0 a, r1 b, ..]: x repeated repeats[i] times along dimension i",
      .role            = Role::view,
      .additive        = true,
      .aliases_operand = true,
      .sizes           = ir::Sizes::repeated,
      .whole_because   = "copies of a part do not lie together along that dimension",
      .infer           = infer,
      .factors         = factors,
      .work            = [](const OpCall& call, std::span<const Type> outputs) { return moves(call, outputs); },
      .eval            = eval,
      .grad            = grad,
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({4, 2}), i64({2})}, {{1, Array::of_ints({2}, {1, 3})}}},
                                       {{{"repeats", std::vector<int64_t>{2}}}, {i64({3})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::tile
