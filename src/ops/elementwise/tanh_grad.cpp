#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::tanh_grad {

OpDef row() {
  OpDef row = binary<[](auto dy, auto y) { return dy * (1 - y * y); }, 3, Accepts::floats>(
      "TanhGrad", "dy, y -> dy * (1 - y^2): the gradient of Tanh by its result");
  row.domain = "com.microsoft";
  return row;
}

}  // namespace foreflow::ops::definitions::tanh_grad
