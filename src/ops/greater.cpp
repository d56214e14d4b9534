#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef greater() { return binary<[](auto x, auto y) { return (x > y); }, 1, Accepts::anything, Gives::boolean>("Greater", "whether x > y"); }

}  // namespace foreflow::ops::definitions
