#include <cmath>

#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef floor() { return unary<[](auto x) { return std::floor(x); }, 1>("Floor", "largest integer not above x"); }

}  // namespace foreflow::ops::definitions
