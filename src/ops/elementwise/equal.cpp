#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::equal {

namespace {

constexpr auto kFormula = [](auto x, auto y) { return x == y; };

}  // namespace

OpDef row() { return binary<kFormula, 1, Accepts::anything, Gives::boolean>("Equal", "whether x = y"); }

}  // namespace foreflow::ops::definitions::equal
