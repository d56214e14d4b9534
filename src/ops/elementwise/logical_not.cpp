#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::logical_not {

namespace {

constexpr auto kFormula = [](auto x) { return x == 0; };

}  // namespace

OpDef row() { return unary<kFormula, 1, Accepts::booleans, Gives::boolean>("Not", "the other truth value"); }

}  // namespace foreflow::ops::definitions::logical_not
