// Reverse rules of ops of one operand: dx = dy * slope(x, y), element by element.
#pragma once

#include "ops/common/elementwise.h"

namespace foreflow::ops {

// kSlope(builder) emits dy/dx and returns its handle.
template <auto kSlope>
void scale_by_slope(GradBuilder& builder) {
  builder.set_input_gradient(0, emit_op(builder, "Mul", {builder.output_gradient(0), kSlope(builder)}));
}

// kDivisor(builder) emits dx/dy: dx = dy / divisor.
template <auto kDivisor>
void divide_by_slope(GradBuilder& builder) {
  builder.set_input_gradient(0, emit_op(builder, "Div", {builder.output_gradient(0), kDivisor(builder)}));
}

// Emits value * value.
inline int emit_square(GradBuilder& builder, int value) { return emit_op(builder, "Mul", {value, value}); }

// Emits a where x > limit, else b.
inline int emit_above(GradBuilder& builder, double limit, int a, int b) {
  const int above = emit_op(builder, "Greater", {builder.input(0), emit_number(builder, limit)});
  return emit_op(builder, "Where", {above, a, b});
}

// Operands inside (-1, 1); operands on both sides of the bends of piecewise functions, beyond +-3.
std::vector<Sample> unit_interval_samples();
std::vector<Sample> wide_samples(const Attributes& attributes = {});

}  // namespace foreflow::ops
