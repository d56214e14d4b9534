// Values that are equal on all devices of a tensor-parallel group.
#pragma once

#include <cstdint>
#include <vector>

#include "transform/layout/layout_domain.h"

namespace foreflow::transform {

// Values that are equal on all devices, such as the results of an all-reduce. Each group has one value per device, in
// the order of the devices.
struct Replicated {
  std::vector<std::vector<ir::ValueId>> groups;
  std::vector<int32_t> group_of;  // per value; -1: the devices have different values, or it is not known
};

// The groups of a function without calls. Values are equal if
//   1. they are results of a collective that gives every member the same;
//   2. equal ops compute them from equal values; or
//   3. they are parameters with the same number, other than -1, in `equal_parameters`.
Replicated replicated_values(const ir::Function& function, const interpret::Values<LaidOut>& values,
                             const std::vector<int32_t>& equal_parameters);

}  // namespace foreflow::transform
