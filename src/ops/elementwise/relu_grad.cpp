#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::relu_grad {

OpDef row() {
  OpDef row = binary<[](auto x, auto dy) { return (x > 0) ? dy : decltype(dy){0}; }, 1>(
      "ReluGrad", "x, dy -> dy where x > 0, else 0: the gradient of Relu, of its input or its result x");
  row.domain      = "foreflow";
  row.gradient_of = ir::GradientOf::relu;
  row.samples     = [] { return std::vector<Sample>{{{}, {f32({4, 2}), f32({4, 2})}}, {{}, {f32({3}), f32({3})}}}; };
  return row;
}

}  // namespace foreflow::ops::definitions::relu_grad
