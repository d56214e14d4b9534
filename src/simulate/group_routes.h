// The routes between the devices of a group, written so that groups can be compared:
//
//   devices  links of their routes          pattern                         links
//   0, 1     nvlink0 up, nvlink1 down, ..   kinds of devices, latencies,    0, 3, 2, 1
//   8, 9     nvlink8 up, nvlink9 down, ..   and which links are the same    32, 35, 34, 33
//
// Two groups with the same pattern, over links of the same kinds, communicate in the same way, each over its own links.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "foreflow/base/sequence_table.h"
#include "foreflow/platform/platform.h"

namespace foreflow::simulate {

struct GroupRoutes {
  uint32_t pattern;        // its number
  std::vector<int> links;  // in the order in which the routes cross them first
};

// Numbers patterns, and keeps the routes of each group. Holds for platforms with equal devices and routes, whatever
// else their links have.
class GroupRouteTable {
 public:
  // The number of the group at these places. Nothing for a group of more than 16 devices, where comparing the routes of
  // all pairs would cost more than it saves, and for one in which two devices have no route.
  std::optional<size_t> number_of(const platform::Platform& platform, const std::vector<int>& places);

  const GroupRoutes& operator[](size_t number) const { return *known_[number]; }

 private:
  SequenceTable groups_;                           // of their places
  std::vector<std::optional<GroupRoutes>> known_;  // nothing: two devices have no route
  SequenceTable patterns_;
  std::vector<uint64_t> words_;  // scratch
};

}  // namespace foreflow::simulate
