#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x) { return x == 0; };

}  // namespace

OpDef logical_not() { return unary<kFormula, 1, Accepts::booleans, Gives::boolean>("Not", "the other truth value"); }

}  // namespace foreflow::ops::definitions
