// The routes between the devices of a group, so that what is known of one group holds for all that are like it:
//
//   devices  links of their routes          pattern                         links
//   0, 1     nvlink0 up, nvlink1 down, ..   kinds of devices and of links,  0, 3, 2, 1
//   8, 9     nvlink8 up, nvlink9 down, ..   and which of them are the same  32, 35, 34, 33
//
// Groups with equal patterns differ in the numbers of their links only.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "foreflow/platform/platform.h"
#include "foreflow/simulate/disturbance.h"

namespace foreflow::simulate {

struct GroupRoutes {
  std::vector<uint64_t> pattern;
  std::vector<int> links;  // in the order in which the routes cross them first
};

// Nothing of a group for which it would cost more than it saves, or of which two devices have no route. A link of
// `traces`, which changes, is like no other.
std::optional<GroupRoutes> group_routes(const platform::Platform& platform, const std::vector<LinkTrace>& traces,
                                        const std::vector<int>& places);

}  // namespace foreflow::simulate
