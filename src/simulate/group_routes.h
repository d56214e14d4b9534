// The routes between the devices of a group, written so that groups can be compared:
//
//   devices  links of their routes          pattern                         links
//   0, 1     nvlink0 up, nvlink1 down, ..   kinds of devices and of links,  0, 3, 2, 1
//   8, 9     nvlink8 up, nvlink9 down, ..   and which of them are the same  32, 35, 34, 33
//
// Two groups with the same pattern communicate in the same way, each over its own links.
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

// Nothing for a group of more than 16 devices, where comparing the routes of all pairs would cost more than it saves,
// and for one in which two devices have no route. A link of `traces` changes in time, so it never equals another link.
std::optional<GroupRoutes> group_routes(const platform::Platform& platform, const std::vector<LinkTrace>& traces,
                                        const std::vector<int>& places);

}  // namespace foreflow::simulate
