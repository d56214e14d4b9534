// Which data of a program are keys and values that attention remembers.
#pragma once

#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// Per parameter: data[b,heads,rows,size] that ops only write new rows into (TensorScatter) or multiply by (the right
// operand of a product). They live where their heads are, as weights do, and are parts of a batch, as data are.
std::vector<bool> caches_of(const ir::Function& function);

}  // namespace foreflow::transform
