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
#include <span>
#include <vector>

#include "foreflow/base/sequence_table.h"
#include "foreflow/platform/platform.h"

namespace foreflow::simulate {

struct GroupRoutes {
  uint32_t pattern;            // its number
  std::span<const int> links;  // in the order in which the routes cross them first
};

// Numbers groups and patterns, and keeps the routes of each group. Holds for platforms with equal devices and routes,
// whatever else their links have.
class GroupRouteTable {
 public:
  // There is a route for each pair, so comparing larger groups would cost more than it saves.
  static constexpr size_t kMostPlaces = 16;

  // The number of the group at these places. Requires at most kMostPlaces.
  size_t number_of(const platform::Platform& platform, const std::vector<int>& places);

  // Nothing: two devices of the group have no route. Valid until the next group comes.
  std::optional<GroupRoutes> operator[](size_t number) const;

 private:
  static constexpr uint32_t kNoRoute = ~uint32_t{0};
  struct Known {
    uint32_t pattern;
    uint32_t first, count;  // of links_
  };

  SequenceTable groups_;  // of their places
  std::vector<Known> known_;
  std::vector<int> links_;
  SequenceTable patterns_;
  std::vector<uint64_t> words_;  // scratch
};

}  // namespace foreflow::simulate
