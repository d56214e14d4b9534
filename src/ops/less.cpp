#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef less() { return binary<[](auto x, auto y) { return x < y; }, 1, Accepts::anything, Gives::boolean>("Less", "whether x < y"); }

}  // namespace foreflow::ops::definitions
