#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x, auto y) { return x > y; };

}  // namespace

OpDef greater() { return binary<kFormula, 1, Accepts::anything, Gives::boolean>("Greater", "whether x > y"); }

}  // namespace foreflow::ops::definitions
