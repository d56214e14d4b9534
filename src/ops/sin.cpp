#include <cmath>

#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x) { return std::sin(x); };

}  // namespace

OpDef sin() { return unary<kFormula, kTranscendental>("Sin", "sine of x"); }

}  // namespace foreflow::ops::definitions
