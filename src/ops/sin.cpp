#include <cmath>

#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef sin() { return unary<[](auto x) { return std::sin(x); }, kTranscendental>("Sin", "sine of x"); }

}  // namespace foreflow::ops::definitions
