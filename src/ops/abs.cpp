#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef abs() { return unary<[](auto x) { return x < 0 ? wrapping(std::minus{}, decltype(x){0}, x) : x; }, 1, Accepts::numbers>("Abs", "absolute value of x"); }

}  // namespace foreflow::ops::definitions
