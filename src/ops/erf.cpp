#include <cmath>

#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x) { return std::erf(x); };

}  // namespace

OpDef erf() { return unary<kFormula, kTranscendental>("Erf", "error function of x"); }

}  // namespace foreflow::ops::definitions
