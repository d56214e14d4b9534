#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x, auto y) { return y > x || y != y ? y : x; };

}  // namespace

OpDef max() {
  return binary<kFormula, 1, Accepts::numbers, Gives::same, Operands::any>("Max",
                                                                           "the largest of any number of operands");
}

}  // namespace foreflow::ops::definitions
