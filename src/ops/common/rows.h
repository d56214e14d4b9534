// For ops that are defined by another op: applies another row of the table to given operands.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// Each throws what the row throws. An absent operand is null in `inputs`.
std::vector<Type> infer_row(std::string_view op, const Attributes& attributes, std::span<const Type> inputs);
Flops flops_of_row(std::string_view op, const Attributes& attributes, std::span<const Type> inputs);
std::vector<Array> eval_row(std::string_view op, const Attributes& attributes, std::span<const Array* const> inputs);

}  // namespace foreflow::ops
