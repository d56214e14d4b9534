#include <algorithm>

#include "ops/common/axes.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::squeeze {

namespace {

// Which dimensions go: `axes`, or every 1 where there are none.
std::vector<bool> squeezed_axes(const OpCall& call, const Dims& dims) {
  const Integers axes = integers(call, "axes", 1);
  std::vector<bool> gone(dims.size());
  if (!axes.given) {
    for (size_t axis = 0; axis < dims.size(); ++axis) gone[axis] = dims[axis] == 1;
    return gone;
  }
  for (const int64_t axis : *axes.list) {
    const size_t place = normal_axis(call, axis, dims.size());
    if (dims[place] != 1 && dims[place] != Dims::kUnknown) {
      call.fail("dimension " + std::to_string(axis) + " of " + to_string(dims) + " is not 1, so it cannot be squeezed");
    }
    gone[place] = true;
  }
  return gone;
}

Dims squeezed(const OpCall& call, const Dims& dims) {
  const std::vector<bool> gone = squeezed_axes(call, dims);
  Dims result;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (!gone[axis]) result.push_back(dims[axis]);
  }
  return result;
}

std::vector<Type> infer(const OpCall& call) {
  const Type x        = tensor_operand(call, 0);
  const Integers axes = integers(call, "axes", 1);
  const bool enough   = axes.given ? axes.list.has_value() && has_rank(x) : has_dims(x);
  return {enough ? with_dims(x, squeezed(call, x.dims)) : without_dims(x)};
}

// Without axes no dimension may be split: what is left of it could become 1 and vanish.
Factors factors(const OpCall& call) {
  const Integers axes = integers(call, "axes", 1);
  if (!splittable(call) || axes.unknown()) return {};
  const std::vector<bool> gone = squeezed_axes(call, tensor_operand(call, 0).dims);
  if (!axes.given) {
    const auto left = static_cast<size_t>(std::count(gone.begin(), gone.end(), false));
    return {.text = factor_text(call, {dots(gone.size())}, {dots(left)})};
  }
  std::string input = letters(gone.size()), output;
  for (size_t axis = 0; axis < gone.size(); ++axis) {
    if (gone[axis]) {
      input[axis] = '.';
    } else
      output += input[axis];
  }
  return {.text = factor_text(call, {input}, {output})};
}

void grad(GradBuilder& builder) {
  const Type x = tensor_operand(builder.call(), 0);
  if (!has_dims(x)) builder.call().fail("the shape of the operand must be known to differentiate");
  const std::vector<bool> gone = squeezed_axes(builder.call(), x.dims);
  std::vector<int64_t> axes;
  for (size_t axis = 0; axis < gone.size(); ++axis) {
    if (gone[axis]) axes.push_back(static_cast<int64_t>(axis));
  }
  builder.set_input_gradient(0, builder.emit("Unsqueeze", {{"axes", axes}}, {builder.output_gradient(0)})[0]);
}

std::vector<Sample> samples() {
  return {{{}, {f32({1, 4, 1, 2})}},
          {{{"axes", std::vector<int64_t>{-1}}}, {f32({2, 1, 1})}},
          {{}, {f32({1, 4}), i64({1})}, {{1, Array::of_ints({1}, {0})}}}};
}

}  // namespace

OpDef row() {
  return {
      .name            = "Squeeze",
      .doc             = "removes the dimensions of 1 at `axes`, or all of them",
      .role            = Role::view,
      .additive        = true,
      .aliases_operand = true,
      .copy            = Copy::ones_moved,
      .whole_because   = "without axes, it removes what has one element in a part, too",
      .infer           = infer,
      .factors         = factors,
      .work            = nothing,
      .eval            = [](const OpCall& call) -> std::vector<Array> {
        return {value_of(call, 0).reshaped(squeezed(call, value_of(call, 0).dims()))};
      },
      .grad    = grad,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::squeeze
