#include "ops/common/axes.h"

namespace foreflow::ops {

size_t normal_axis(const OpCall& call, int64_t axis, size_t rank) {
  const auto size = static_cast<int64_t>(rank);
  if (axis < -size || axis >= size) {
    call.fail("axis " + std::to_string(axis) + " of a tensor of rank " + std::to_string(rank) +
              "; it must lie in [-rank, rank)");
  }
  return static_cast<size_t>(axis < 0 ? axis + size : axis);
}

size_t axis_attribute(const OpCall& call, size_t rank, int64_t fallback) {
  return normal_axis(call, call.attributes.int_or("axis", fallback), rank);
}

Integers integers(const OpCall& call, std::string_view name, size_t index) {
  if (auto list = call.attributes.find_ints(name)) return {.given = true, .list = std::move(list)};
  if (!call.has(index)) return {};
  if (call.known[index] == nullptr) return {.given = true, .list = {}};
  return {.given = true, .list = call.known[index]->to_ints()};
}

void grad_reshaped(GradBuilder& builder) {
  const Type x = tensor_operand(builder.call(), 0);
  if (!has_dims(x)) builder.call().fail("the shape of the operand must be known to differentiate");
  const std::vector<int64_t> shape(x.dims.begin(), x.dims.end());
  builder.set_input_gradient(0, builder.emit("Reshape", {{"shape", shape}}, {builder.output_gradient(0)})[0]);
}

int emit_scattered(GradBuilder& builder, int gradient, size_t axis, int64_t dim,
                   const std::vector<int64_t>& positions) {
  const Array numbers = Array::of_ints({static_cast<int64_t>(positions.size())}, positions);
  const int chosen    = builder.emit("Constant", {{"value", numbers}}, {})[0];
  return builder.emit("GatherGrad", {{"axis", static_cast<int64_t>(axis)}, {"dim", dim}}, {chosen, gradient})[0];
}

}  // namespace foreflow::ops
