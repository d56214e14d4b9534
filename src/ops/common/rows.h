// Ops that are other ops in different clothes: applies a row of the table to operands of one's own.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// Each may throw what the row throws. `inputs` may hold null for operands left out.
std::vector<Type> infer_row(std::string_view op, const Attributes& attributes, std::span<const Type> inputs);
Flops flops_of_row(std::string_view op, const Attributes& attributes, std::span<const Type> inputs);
std::vector<Array> eval_row(std::string_view op, const Attributes& attributes, std::span<const Array* const> inputs);

}  // namespace foreflow::ops
