#include <cmath>

#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x) { return std::isnan(static_cast<double>(x)); };

}  // namespace

OpDef is_nan() { return unary<kFormula, 1, Accepts::floats, Gives::boolean>("IsNaN", "whether x is not a number"); }

}  // namespace foreflow::ops::definitions
