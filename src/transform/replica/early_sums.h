// Sums of gradients over tensor-parallel ranks, moved into the backward pass.
#pragma once

#include "foreflow/ir/module.h"
#include "transform/replica/trained_weights.h"

namespace foreflow::transform {

// Moves each sum over the ranks of one replica that makes the gradient of one of `weights`, and what converts its
// operands, behind the op that makes the last of these operands. A program states such sums before the update, as
// Megatron-LM takes them; but a sum over replicas that begins in the backward pass needs them there, as FSDP2 takes
// them in its post_backward:
//
//   %dn.1 = NormGrad(..)                     %dn.1 = NormGrad(..)      // of D1 and D2, by half of the sequence each
//   %dn.2 = NormGrad(..)                     %dn.2 = NormGrad(..)
//   ..          // layers before      ->     %a, %b = MPIAllreduce([%dn.1, %dn.2])
//   %a, %b = MPIAllreduce([%dn.1, %dn.2])    ..
//
// Nothing if no op has to move, or if the entry calls functions: the sums of a pipeline come after its microbatches.
std::optional<ir::Module> with_early_sums(const ir::Module& module, const std::vector<TrainedWeight>& weights);

}  // namespace foreflow::transform
