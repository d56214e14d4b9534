#include <algorithm>

#include "ops/common/planes.h"

namespace foreflow::ops::definitions::global_max_pool {

namespace {

// Equal largest elements of a plane share its gradient.
void grad(GradBuilder& builder) {
  const Type x = tensor_operand(builder.call(), 0);
  if (!has_rank(x)) builder.call().fail("the rank must be known to differentiate");
  const int largest = builder.emit("Equal", {}, {builder.input(0), builder.output(0)})[0];
  const int mask    = builder.emit("Cast", {{"to", std::string(ir::name(x.dtype))}}, {largest})[0];
  const int count   = builder.emit("ReduceSum", {{"axes", plane_axes(x)}, {"keepdims", 1}}, {mask})[0];
  const int share   = builder.emit("Div", {}, {builder.output_gradient(0), count})[0];
  builder.set_input_gradient(0, builder.emit("Mul", {}, {mask, share})[0]);
}

}  // namespace

OpDef row() {
  return {
      .name          = "GlobalMaxPool",
      .doc           = "x[n,c,..] -> the largest element of each plane, [n,c,1..]",
      .whole_because = "it combines all numbers of a channel",
      .infer         = [](const OpCall& call) -> std::vector<Type> { return {infer_plane(call)}; },
      .factors       = pool_factors,
      .work          = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, count_of(call.inputs[0])); },
      .eval          = [](const OpCall& call) -> std::vector<Array> {
        return {map_planes(
                     call, [](std::span<const double> plane) { return *std::max_element(plane.begin(), plane.end()); })};
      },
      .grad = grad,
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({2, 4, 3, 3})}}, {{}, {f32({2, 2, 5})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::global_max_pool
