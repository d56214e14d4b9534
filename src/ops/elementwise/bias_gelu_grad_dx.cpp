#include "ops/elementwise/biased_gelu_grad.h"

namespace foreflow::ops::definitions::bias_gelu_grad_dx {

OpDef row() {
  return biased_gelu_grad<GeluForm::exact>("BiasGeluGrad_dX", "dy, x[..,i], bias[i] -> dx: the gradient of BiasGelu");
}

}  // namespace foreflow::ops::definitions::bias_gelu_grad_dx
