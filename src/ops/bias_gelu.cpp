#include "ops/biased_gelu.h"

namespace foreflow::ops::definitions {

OpDef bias_gelu() {
  return biased_gelu<gelu_by_erf, GeluForm::exact>("BiasGelu", "x[..,i], bias[i] -> Gelu(x + bias)");
}

}  // namespace foreflow::ops::definitions
