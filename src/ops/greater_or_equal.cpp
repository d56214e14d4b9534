#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef greater_or_equal() { return binary<[](auto x, auto y) { return (x >= y); }, 1, Accepts::anything, Gives::boolean>("GreaterOrEqual", "whether x >= y"); }

}  // namespace foreflow::ops::definitions
