#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef logical_or() { return binary<[](auto x, auto y) { return x != 0 || y != 0; }, 1, Accepts::booleans, Gives::boolean>("Or", "whether one of them is true"); }

}  // namespace foreflow::ops::definitions
