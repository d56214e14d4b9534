#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::sigmoid_grad {

OpDef row() {
  OpDef row = binary<[](auto dy, auto y) { return dy * y * (1 - y); }, 3, Accepts::floats>(
      "SigmoidGrad", "dy, y -> dy * y * (1 - y): the gradient of Sigmoid by its result");
  row.domain = "com.microsoft";
  return row;
}

}  // namespace foreflow::ops::definitions::sigmoid_grad
