#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef logical_xor() { return binary<[](auto x, auto y) { return (x != 0) != (y != 0); }, 1, Accepts::booleans, Gives::boolean>("Xor", "whether exactly one of them is true"); }

}  // namespace foreflow::ops::definitions
