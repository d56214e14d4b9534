#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef logical_not() { return unary<[](auto x) { return x == 0; }, 1, Accepts::booleans, Gives::boolean>("Not", "the other truth value"); }

}  // namespace foreflow::ops::definitions
