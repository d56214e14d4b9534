#include <cmath>

#include "ops/common/slope.h"

namespace foreflow::ops::definitions::acosh {

namespace {

constexpr auto kFormula = [](auto x) { return std::acosh(x); };

// dx/dy = sqrt(x^2 - 1)
constexpr auto kDivisor = [](GradBuilder& builder) {
  return emit_op(builder, "Sqrt",
                 {emit_op(builder, "Sub", {emit_square(builder, builder.input(0)), emit_number(builder, 1)})});
};

}  // namespace

OpDef row() {
  OpDef row   = unary<kFormula, kTranscendental>("Acosh", "inverse hyperbolic cosine of x, at least 0, for x >= 1");
  row.grad    = divide_by_slope<kDivisor>;
  row.samples = [] {
    return std::vector<Sample>{{{}, {f32({2, 2})}, {{0, Array::of_floats({2, 2}, {1.25F, 1.5F, 2, 4})}}},
                               {{}, {f32({3})}, {{0, Array::of_floats({3}, {1.125F, 3, 8})}}}};
  };
  return row;
}

}  // namespace foreflow::ops::definitions::acosh
