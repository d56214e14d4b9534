#include "ops/elementwise/biased_gelu.h"

namespace foreflow::ops::definitions::bias_gelu {

OpDef row() { return biased_gelu<gelu_by_erf, GeluForm::exact>("BiasGelu", "x[..,i], bias[i] -> Gelu(x + bias)"); }

}  // namespace foreflow::ops::definitions::bias_gelu
