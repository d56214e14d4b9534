// Which gathers of a program bring together what products of experts read.
#pragma once

#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/module.h"

namespace foreflow::transform {

// Per op of `function`, which has no calls: whether it is an all-gather within a tensor-parallel group whose results
// [e,..], with as many e as a weight w[e,in,out] has experts, are only read by products expert by expert, perhaps seen
// in another shape. Its operands can be exchanged among the ranks that share experts before they are gathered, as
// Megatron-LM's dispatcher does, which moves 1/tp of the bytes:
//
//   %d.1 = MoeDispatch(..)            // half of the groups of tokens, on D1; the other half on D2
//   %a, %b = MPIAllgather[axis = 1](%d.1, %d.2)
//   %y.1 = MatMul(%a, %w.1)           // half of the width of each expert
std::vector<bool> expert_gathers(const ir::Function& function, const interpret::Values<interpret::Mixed>& values);

// The batch dimension of operand `operand` in a product of batches of matrices, such as that of the experts, 0 for
// w[e,h,f] in x[e,n,h] * w[e,h,f]. -1 if there is none.
int32_t expert_dimension(const ir::OpCall& call, size_t operand);

}  // namespace foreflow::transform
