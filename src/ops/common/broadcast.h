// Broadcasting as in ONNX and numpy: shapes are aligned at the last dimension, and a dimension of size 1 is stretched.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// The broadcast shape. Fails if two dimensions differ and neither is 1. An unknown dimension paired with a size above 1
// is taken to be that size.
Dims broadcast(const OpCall& call, const Dims& a, const Dims& b);

// The same for all operands; null if the rank of one is not known.
std::optional<Dims> broadcast(const OpCall& call, std::span<const Type> operands);

// The letters of an operand if those of the result are "abc.."; '.' for a stretched dimension.
std::string aligned_letters(const Dims& operand, const Dims& result);

// Factors of an elementwise op over all operands of `call`.
Factors broadcast_factors(const OpCall& call);

// Emits the sum of `gradient`, which has the shape of `from`, over the dimensions along which `to` was stretched.
// Returns `gradient` itself if there are none.
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
