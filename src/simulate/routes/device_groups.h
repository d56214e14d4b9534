// The groups of devices that communicate. There are as many as a platform has servers, and more, but most are like
// another one: they have the same pattern of routes over links of the same kinds (simulate/routes/group_routes.h), and
// what is known of one holds for the other, on its own links.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/base/sequence_table.h"
#include "foreflow/platform/platform.h"
#include "foreflow/simulate/disturbance.h"
#include "simulate/routes/group_routes.h"

namespace foreflow::simulate {

class DeviceGroups {
 public:
  // `traces`: of links that change, which are like no other link; `routes`: of the platform, null for none. All must
  // outlive it.
  DeviceGroups(const platform::Platform& platform, const std::vector<LinkTrace>& traces, GroupRouteTable* routes)
      : platform_(platform), traces_(traces), routes_(routes != nullptr ? *routes : own_routes_) {}

  // The number of the group of the devices at these places.
  size_t number_of(const std::vector<int>& places);
  // The number of its pattern; -1: it is too large to be compared, or devices have no route.
  int32_t pattern_of(size_t group) const { return known_[group].pattern; }
  size_t patterns() const { return patterns_.size(); }
  // The links of a group with a pattern; groups with one pattern have them in the same order.
  std::span<const int> links_of(size_t group) const { return nth(routes_, known_[group].routes)->links; }

 private:
  struct Known {
    int32_t pattern = -1;
    int32_t routes  = -1;  // of routes_; -1: it has no pattern
  };

  uint32_t number_of_pattern(const GroupRoutes& routes);

  const platform::Platform& platform_;
  const std::vector<LinkTrace>& traces_;
  GroupRouteTable own_routes_;  // where the caller has none
  GroupRouteTable& routes_;
  SequenceTable large_;  // groups that are not compared, of their places
  SequenceTable patterns_;
  std::vector<Known> known_;                           // by number
  std::vector<int32_t> known_compared_, known_large_;  // into known_, by number in routes_ and large_; -1: not yet
  std::vector<uint64_t> words_;                        // scratch
};

}  // namespace foreflow::simulate
