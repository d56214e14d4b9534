#include <cmath>

#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef round() { return unary<[](auto x) { return std::nearbyint(x); }, 1>("Round", "nearest integer; halves go to the even one"); }

}  // namespace foreflow::ops::definitions
