#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::relu_grad {

OpDef row() {
  OpDef row = binary<[](auto x, auto dy) { return (x > 0) ? dy : decltype(dy){0}; }, 1>(
      "ReluGrad", "x, dy -> dy where x > 0, else 0: the gradient of Relu(x)");
  row.domain = "foreflow";
  return row;
}

}  // namespace foreflow::ops::definitions::relu_grad
