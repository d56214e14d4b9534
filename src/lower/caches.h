// Whose memory the results of a program take over.
#pragma once

#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::lower {

// Per parameter of a function: whether all that happens to it, in calls too, is that rows are written into it. The
// caller gets the memory back as that of a result.
std::vector<bool> taken_over(const ir::Module& module, size_t function);

}  // namespace foreflow::lower
