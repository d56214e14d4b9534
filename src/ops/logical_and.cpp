#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef logical_and() { return binary<[](auto x, auto y) { return x != 0 && y != 0; }, 1, Accepts::booleans, Gives::boolean>("And", "whether both are true"); }

}  // namespace foreflow::ops::definitions
