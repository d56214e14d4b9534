#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x, auto y) { return (x != 0) != (y != 0); };

}  // namespace

OpDef logical_xor() {
  return binary<kFormula, 1, Accepts::booleans, Gives::boolean>("Xor", "whether exactly one of them is true");
}

}  // namespace foreflow::ops::definitions
