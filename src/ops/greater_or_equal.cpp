#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x, auto y) { return x >= y; };

}  // namespace

OpDef greater_or_equal() {
  return binary<kFormula, 1, Accepts::anything, Gives::boolean>("GreaterOrEqual", "whether x >= y");
}

}  // namespace foreflow::ops::definitions
