#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x) { return (x > 0) - (x < 0); };

}  // namespace

OpDef sign() { return unary<kFormula, 1, Accepts::numbers>("Sign", "-1, 0 or 1"); }

}  // namespace foreflow::ops::definitions
