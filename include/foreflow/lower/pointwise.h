// Ops that kernels of frameworks join: element-wise ones and norms.
#pragma once

#include "foreflow/cost/cost.h"

namespace foreflow::lower {

// True for an op that makes one tensor, of as many elements as one that it reads, and does little arithmetic for each.
// Not for products, attention, reductions, look-ups, losses, updates.
bool is_pointwise(const cost::Application& application, const ir::Work& work);

}  // namespace foreflow::lower
