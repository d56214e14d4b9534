// Sums of products: collectives that `overlap_tensor` may run beside the products whose results they sum.
#pragma once

#include <optional>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

struct SummedProduct {
  size_t op;      // that computes the first operand of the sum
  bool is_exact;  // the product computes nothing else: it is computed in chunks, or its sum is waited for
};

// The product that the sum `op` of `function` may run beside. Nothing when the op is no sum of computed values, or when
// the op after it does not read its results, so that it may run beside other ops, too. `makers` is ir::makers_of.
std::optional<SummedProduct> summed_product(const ir::Function& function, const std::vector<int32_t>& makers,
                                            size_t op);

}  // namespace foreflow::transform
