// Finds the gradients that the ranks with copies of one weight compute, from the sum of them that an optimizer reads.
#pragma once

#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// The gradient that the optimizer of one rank reads, taken apart. For D2 in
//
//   %sum.1, %sum.2 = MPIAllreduce[of_copies = 1](%dw.1, %dw.2)     of D1 and D2, which hold copies of %w
//   %w.2_1 = Optimizer(%w.2, %sum.2)
//
// `own` is %dw.2, `terms` are %dw.1 and %dw.2, and `ops` has the MPIAllreduce.
struct GradientSum {
  ir::ValueId own;                 // the gradient that this rank computes
  std::vector<ir::ValueId> terms;  // the gradients of all ranks, in rank order; `own` alone if nothing is summed
  std::vector<size_t> ops;         // the sum, and the conversions before and behind it
};

// The gradient `taken` of an optimizer, taken apart. `makers` is ir::makers_of and `uses` is ir::uses_of of the entry.
// An op belongs to `ops` only if nothing else reads its results.
GradientSum gradient_sum(const ir::Function& entry, const std::vector<int32_t>& makers,
                         const std::vector<int32_t>& uses, ir::ValueId taken);

}  // namespace foreflow::transform
