#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef max() { return binary<[](auto x, auto y) { return (y > x) || y != y ? y : x; }, 1, Accepts::numbers, Gives::same, Operands::any>("Max", "the largest of any number of operands"); }

}  // namespace foreflow::ops::definitions
