#include <cmath>

#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef is_nan() { return unary<[](auto x) { return std::isnan(static_cast<double>(x)); }, 1, Accepts::floats, Gives::boolean>("IsNaN", "whether x is not a number"); }

}  // namespace foreflow::ops::definitions
