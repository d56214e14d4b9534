#include <cmath>

#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x) { return std::ceil(x); };

}  // namespace

OpDef ceil() { return unary<kFormula, 1>("Ceil", "smallest integer not below x"); }

}  // namespace foreflow::ops::definitions
