#include "ops/elementwise/biased_gelu.h"

namespace foreflow::ops::definitions::fast_gelu {

OpDef row() {
  return biased_gelu<gelu_by_tanh, GeluForm::tanh>(
      "FastGelu", "x[..,i], bias[i] (optional) -> Gelu(x + bias), approximated by tanh");
}

}  // namespace foreflow::ops::definitions::fast_gelu
