// How the values of a program lie on the ways that share each step's data, decided before anything is written.
#pragma once

#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/transform/layout.h"
#include "foreflow/transform/spread.h"

namespace foreflow::transform {

struct SpreadPlan {
  std::vector<Layout> layouts;      // per value, as it is made
  std::vector<Decision> decisions;  // per op
};

// Plans for a function without calls. Throws Error where no data can be split in so many parts, or no experts are found.
SpreadPlan plan_spread(const ir::Module& module, const interpret::Values<interpret::Mixed>& values, int ways, const Spread& spread);

}  // namespace foreflow::transform
