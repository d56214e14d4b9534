#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x, auto y) { return x != 0 && y != 0; };

}  // namespace

OpDef logical_and() { return binary<kFormula, 1, Accepts::booleans, Gives::boolean>("And", "whether both are true"); }

}  // namespace foreflow::ops::definitions
