#include "simulate/routes/device_groups.h"

#include <algorithm>

namespace foreflow::simulate {

size_t DeviceGroups::number_of(const std::vector<int>& places) {
  const bool compared = places.size() <= GroupRouteTable::kMostPlaces;
  words_.assign(places.begin(), places.end());
  const size_t number           = compared ? routes_.number_of(platform_, places) : large_.number(words_);
  std::vector<int32_t>& numbers = compared ? known_compared_ : known_large_;
  if (number >= numbers.size()) numbers.resize(number + 1, -1);
  if (numbers[number] >= 0) return static_cast<size_t>(numbers[number]);
  numbers[number] = static_cast<int32_t>(known_.size());
  Known& group    = known_.emplace_back();
  if (!compared) return known_.size() - 1;
  if (const auto routes = routes_[number]) {
    group.routes  = static_cast<int32_t>(number);
    group.pattern = static_cast<int32_t>(number_of_pattern(*routes));
  }
  return known_.size() - 1;
}

uint32_t DeviceGroups::number_of_pattern(const GroupRoutes& routes) {
  words_.assign(1, routes.pattern);
  for (const int link : routes.links) {
    const bool changes =
        std::any_of(traces_.begin(), traces_.end(), [link](const LinkTrace& trace) { return trace.link == link; });
    words_.push_back(static_cast<uint64_t>(platform_.link_kind(link)));
    words_.push_back(changes ? static_cast<uint64_t>(link) + 1 : 0);
  }
  return patterns_.number(words_);
}

}  // namespace foreflow::simulate
