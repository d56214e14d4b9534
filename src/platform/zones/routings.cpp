#include "platform/zones/routings.h"

#include <algorithm>
#include <cctype>

namespace foreflow::platform::zones {

const std::vector<RoutingDef>& routings() {
  constexpr std::string_view kWifi =
      "Wifi zones are not simulated: how fast a station is depends on its distance and on who else sends, which "
      "Foreflow has no model of";
  constexpr std::string_view kOfCluster     = "is what a <cluster> with a topology is; zones cannot ask for it";
  static const std::vector<RoutingDef> rows = {
      {"Full", true, false, full_routing},
      {"Floyd", true, false, floyd_routing},
      {"Dijkstra", true, false, dijkstra_routing},
      {"DijkstraCache", true, false, dijkstra_routing},
      {"Cluster", false, true, star_routing},
      {"Vivaldi", false, true, vivaldi_routing},
      {"None", false, false, no_routing},
      {"Empty", false, false, no_routing},
      {"Wifi", false, false, nullptr, kWifi},
      {"ClusterTorus", false, false, nullptr, kOfCluster},
      {"ClusterFatTree", false, false, nullptr, kOfCluster},
      {"ClusterDragonfly", false, false, nullptr, kOfCluster},
  };
  return rows;
}

const RoutingDef* find_routing(std::string_view name) {
  const auto same = [&](const RoutingDef& row) {
    return std::equal(row.name.begin(), row.name.end(), name.begin(), name.end(),
                      [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
  };
  const auto found = std::find_if(routings().begin(), routings().end(), same);
  return found == routings().end() ? nullptr : &*found;
}

}  // namespace foreflow::platform::zones
