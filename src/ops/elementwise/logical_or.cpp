#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::logical_or {

namespace {

constexpr auto kFormula = [](auto x, auto y) { return x != 0 || y != 0; };

}  // namespace

OpDef row() { return binary<kFormula, 1, Accepts::booleans, Gives::boolean>("Or", "whether one of them is true"); }

}  // namespace foreflow::ops::definitions::logical_or
