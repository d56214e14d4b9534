#include <cmath>

#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::is_nan {

namespace {

constexpr auto kFormula = [](auto x) { return std::isnan(static_cast<double>(x)); };

}  // namespace

OpDef row() { return unary<kFormula, 1, Accepts::floats, Gives::boolean>("IsNaN", "whether x is not a number"); }

}  // namespace foreflow::ops::definitions::is_nan
