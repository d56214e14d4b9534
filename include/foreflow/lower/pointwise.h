// Ops that kernels of frameworks join: element-wise ones and norms.
#pragma once

#include <optional>

#include "foreflow/cost/cost.h"

namespace foreflow::lower {

// True for an op that makes one tensor, of as many elements as one that it reads, and does little arithmetic for each.
// Not for products, attention, reductions, look-ups, losses, updates.
bool is_pointwise(const cost::Application& application, const ir::Work& work);

// A pointwise op as one kernel with the op before it, of which the largest operand stays on the chip, and is written by
// neither: it takes no less time in any program. Nothing for other ops.
std::optional<cost::Application> joined_at_best(cost::Application application);

}  // namespace foreflow::lower
