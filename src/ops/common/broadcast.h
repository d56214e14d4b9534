// Broadcasting as ONNX (and numpy) do it: dimensions are aligned at the last one, and a 1 stretches.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// Fails when a dimension differs and neither is 1. An unknown dimension beside a number above 1 is that number.
Dims broadcast(const OpCall& call, const Dims& a, const Dims& b);

// Of all the operands; null when the rank of one is not known.
std::optional<Dims> broadcast(const OpCall& call, std::span<const Type> operands);

// The letters of an operand inside a result of letters "abc.."; '.' where it is stretched.
std::string aligned_letters(const Dims& operand, const Dims& result);

// Factors of an elementwise op over all operands of `call`.
Factors broadcast_factors(const OpCall& call);

// Emits what sums `gradient`, which has the shape of `from`, over the dimensions along which `to` was stretched.
// Returns `gradient` itself where nothing was stretched.
int reduce_to(GradBuilder& builder, int gradient, const Type& from, const Type& to);

// The same for operand `index` of an elementwise op, as the gradient of that operand.
void set_broadcast_gradient(GradBuilder& builder, size_t index, int gradient);

// The shape of the result of an elementwise op while differentiating, when all shapes are known.
Type broadcast_result(const OpCall& call);

// Emits one number of the dtype of operand 0.
int emit_number(GradBuilder& builder, double value);

// Emits an op without attributes that has one result.
int emit_op(GradBuilder& builder, std::string_view op, std::vector<int> operands);

}  // namespace foreflow::ops
