// Finds the key-value caches among the data of a program.
#pragma once

#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// Per parameter: whether it is a cache, that is, data[b,heads,rows,size] used only
//
//   1. by ops that overwrite some of its rows (TensorScatter), and
//   2. as the right operand of products.
//
// A cache is split by heads, as a weight is, and by samples, as data are.
std::vector<bool> caches_of(const ir::Function& function);

}  // namespace foreflow::transform
