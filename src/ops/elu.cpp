#include <cmath>

#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

auto formula(const Attributes& attributes) {
  const double alpha = attributes.float_or("alpha", 1);
  return [=](auto x) { return x < 0 ? alpha * std::expm1(x) : static_cast<double>(x); };
}

}  // namespace

OpDef elu() {
  OpDef row   = unary_with<formula, kTranscendental>("Elu", "x where x >= 0, else alpha (e^x - 1)");
  row.samples = [] { return std::vector<Sample>{{{}, {f32({4, 2})}}, {{{"alpha", 0.5}}, {f32({3})}}}; };
  return row;
}

}  // namespace foreflow::ops::definitions
