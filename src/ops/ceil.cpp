#include <cmath>

#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef ceil() { return unary<[](auto x) { return std::ceil(x); }, 1>("Ceil", "smallest integer not below x"); }

}  // namespace foreflow::ops::definitions
