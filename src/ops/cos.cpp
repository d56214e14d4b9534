#include <cmath>

#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef cos() { return unary<[](auto x) { return std::cos(x); }, kTranscendental>("Cos", "cosine of x"); }

}  // namespace foreflow::ops::definitions
