#include <cmath>

#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef erf() { return unary<[](auto x) { return std::erf(x); }, kTranscendental>("Erf", "error function of x"); }

}  // namespace foreflow::ops::definitions
