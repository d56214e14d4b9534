#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef equal() { return binary<[](auto x, auto y) { return x == y; }, 1, Accepts::anything, Gives::boolean>("Equal", "whether x = y"); }

}  // namespace foreflow::ops::definitions
