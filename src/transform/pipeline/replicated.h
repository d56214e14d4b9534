// Values that are equal on all devices of a tensor-parallel group.
#pragma once

#include <cstdint>
#include <vector>

#include "transform/layout/layout_domain.h"

namespace foreflow::transform {

// Each group has one value of every device, in their order, all equal.
struct Replicated {
  std::vector<std::vector<ir::ValueId>> groups;
  std::vector<int32_t> group_of;  // per value; -1: the devices have different values, or it is not known
};

// Of a function without calls. Values are equal where equal ops make them of equal values, and what collectives give to
// every member is. `equal_parameters`: per parameter a number that equal ones share; -1: they are equal to no other.
Replicated replicated_values(const ir::Function& function, const interpret::Values<LaidOut>& values,
                             const std::vector<int32_t>& equal_parameters);

}  // namespace foreflow::transform
