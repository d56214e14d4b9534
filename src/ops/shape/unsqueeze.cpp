#include "ops/common/axes.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::unsqueeze {

namespace {

// Which dimensions of the result are new.
std::vector<bool> fresh_axes(const OpCall& call, size_t rank) {
  const Integers axes = integers(call, "axes", 1);
  if (!axes.given) call.fail("has neither an operand nor an attribute `axes`");
  std::vector<bool> fresh(rank + axes.list->size());
  for (const int64_t axis : *axes.list) {
    const size_t place = normal_axis(call, axis, fresh.size());
    if (fresh[place]) call.fail("axis " + std::to_string(axis) + " is given twice");
    fresh[place] = true;
  }
  return fresh;
}

Dims unsqueezed(const OpCall& call, const Dims& dims) {
  Dims result;
  size_t next = 0;
  for (const bool is_new : fresh_axes(call, dims.size())) result.push_back(is_new ? 1 : dims[next++]);
  return result;
}

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (!has_rank(x) || integers(call, "axes", 1).unknown()) return {without_dims(x)};
  return {with_dims(x, unsqueezed(call, x.dims))};
}

Factors factors(const OpCall& call) {
  if (!splittable(call) || integers(call, "axes", 1).unknown()) return {};
  const std::string input = letters(tensor_operand(call, 0).dims.size());
  std::string output;
  size_t next = 0;
  for (const bool is_new : fresh_axes(call, input.size())) output += is_new ? '.' : input[next++];
  return {.text = factor_text(call, {input}, {output})};
}

void grad(GradBuilder& builder) {
  const std::vector<int64_t> axes = *integers(builder.call(), "axes", 1).list;
  builder.set_input_gradient(0, builder.emit("Squeeze", {{"axes", axes}}, {builder.output_gradient(0)})[0]);
}

std::vector<Sample> samples() {
  return {{{{"axes", std::vector<int64_t>{0, -1}}}, {f32({4, 2})}},
          {{}, {f32({2, 3}), i64({1})}, {{1, Array::of_ints({1}, {1})}}}};
}

}  // namespace

OpDef row() {
  return {
      .name            = "Unsqueeze",
      .doc             = "inserts a dimension of 1 at each of `axes` of the result",
      .role            = Role::view,
      .additive        = true,
      .aliases_operand = true,
      .copy            = Copy::ones_moved,
      .infer           = infer,
      .factors         = factors,
      .work            = nothing,
      .eval            = [](const OpCall& call) -> std::vector<Array> {
        return {value_of(call, 0).reshaped(unsqueezed(call, value_of(call, 0).dims()))};
      },
      .grad    = grad,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::unsqueeze
