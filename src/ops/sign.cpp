#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef sign() { return unary<[](auto x) { return (x > 0) - (x < 0); }, 1, Accepts::numbers>("Sign", "-1, 0 or 1"); }

}  // namespace foreflow::ops::definitions
