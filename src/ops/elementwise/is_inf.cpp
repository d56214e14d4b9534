#include <cmath>

#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::is_inf {

namespace {

auto formula(const Attributes& attributes) {
  const bool negative = attributes.int_or("detect_negative", 1) != 0,
             positive = attributes.int_or("detect_positive", 1) != 0;
  return [=](auto x) {
    const auto value = static_cast<double>(x);
    return std::isinf(value) && (value > 0 ? positive : negative);
  };
}

}  // namespace

OpDef row() {
  OpDef row = unary_with<formula, 1, Accepts::floats, Gives::boolean>(
      "IsInf", "whether x is infinite; detect_negative = 0, detect_positive = 0 leave out a sign");
  row.samples = [] {
    const Array x = Array::of_floats({4}, {-INFINITY, 1, INFINITY, NAN});
    return std::vector<Sample>{{{}, {f32({4})}, {{0, x}}}, {{{"detect_negative", 0}}, {f32({4})}, {{0, x}}}};
  };
  return row;
}

}  // namespace foreflow::ops::definitions::is_inf
