// Which results reuse the memory of a parameter.
#pragma once

#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::lower {

// Per parameter of a function: true if its only use, in callees too, is that rows are written into it. A result of the
// function then has the memory of the parameter.
std::vector<bool> taken_over(const ir::Module& module, size_t function);

}  // namespace foreflow::lower
