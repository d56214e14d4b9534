#include "ops/elementwise/biased_gelu_grad.h"

namespace foreflow::ops::definitions::bias_fast_gelu_grad_dx {

OpDef row() {
  return biased_gelu_grad<GeluForm::tanh>("BiasFastGeluGrad_dX",
                                          "dy, x[..,i], bias[i] -> dx: the gradient of FastGelu");
}

}  // namespace foreflow::ops::definitions::bias_fast_gelu_grad_dx
