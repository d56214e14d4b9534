// Finds the key-value caches among the data of a program.
#pragma once

#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// Per parameter: whether it is a cache, that is, data[b,heads,rows,size] used, perhaps converted, only
//
//   1. by ops that overwrite some of its rows (TensorScatter),
//   2. as the right operand of products,
//   3. as keys or values of attention as one op (OpDef::attention) or of its gradient, and
//   4. as keys or values of earlier positions (OpDef::past_keys).
//
// A cache is split by heads, as a weight is, and by samples, as data are.
std::vector<bool> caches_of(const ir::Function& function);

// Returns true if the value, perhaps converted, is a product whose columns were taken apart into heads and the heads
// put before the rows: [b,rows,heads*size] -> [b,rows,heads,size] -> [b,heads,rows,size]. `makers`: those of makers_of.
bool are_heads(const ir::Function& function, const std::vector<int32_t>& makers, ir::ValueId value);

// Returns true if result `number` of the op is a cache with rows that the op wrote.
bool gives_cache(const ir::Op& op, size_t number);

}  // namespace foreflow::transform
