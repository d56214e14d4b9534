#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x, auto y) { return x <= y; };

}  // namespace

OpDef less_or_equal() {
  return binary<kFormula, 1, Accepts::anything, Gives::boolean>("LessOrEqual", "whether x <= y");
}

}  // namespace foreflow::ops::definitions
