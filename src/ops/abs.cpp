#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x) { return x < 0 ? wrapping(std::minus{}, decltype(x){0}, x) : x; };

}  // namespace

OpDef abs() { return unary<kFormula, 1, Accepts::numbers>("Abs", "absolute value of x"); }

}  // namespace foreflow::ops::definitions
