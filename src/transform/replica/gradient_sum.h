// Finds the gradients that the ranks with copies of a weight make, behind the sum of them that an optimizer takes.
#pragma once

#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// What an optimizer takes, and what it is made of:
//
//   %sum.1, %sum.2 = MPIAllreduce[of_copies = 1](%dw.1, %dw.2)     of D1 and D2, which hold copies of %w
//   %w.2_1 = Optimizer(%w.2, %sum.2)
struct GradientSum {
  ir::ValueId own;                 // the gradient that this rank makes: %dw.2
  std::vector<ir::ValueId> terms;  // those of all ranks, in their order; `own` alone if nothing is summed
  std::vector<size_t> ops;         // that make the sum, and convert for it
};

// That of the value `taken`. `makers` and `uses` are those of the entry's values. An op counts only if nothing but the
// sum reads what it makes.
GradientSum gradient_sum(const ir::Function& entry, const std::vector<int32_t>& makers,
                         const std::vector<int32_t>& uses, ir::ValueId taken);

}  // namespace foreflow::transform
