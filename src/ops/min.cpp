#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x, auto y) { return y < x || y != y ? y : x; };

}  // namespace

OpDef min() {
  return binary<kFormula, 1, Accepts::numbers, Gives::same, Operands::any>("Min",
                                                                           "the smallest of any number of operands");
}

}  // namespace foreflow::ops::definitions
