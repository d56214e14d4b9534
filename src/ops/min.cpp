#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef min() { return binary<[](auto x, auto y) { return y < x || y != y ? y : x; }, 1, Accepts::numbers, Gives::same, Operands::any>("Min", "the smallest of any number of operands"); }

}  // namespace foreflow::ops::definitions
