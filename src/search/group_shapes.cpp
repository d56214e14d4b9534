#include "group_shapes.h"

#include <algorithm>
#include <set>

namespace foreflow::search {

Seconds GroupShapes::least(const scenario::Scenario& scenario, Along along,
                           const std::function<Seconds(const std::vector<int>& places)>& time) {
  const auto& all = groups(scenario, along);
  Seconds least   = time(all.front());
  for (size_t i = 1; i < all.size(); ++i) least = std::min(least, time(all[i]));
  return least;
}

// Devices by node, in the order of the node's first member, and by what a message from each to the next crosses.
std::string GroupShapes::shape(const std::vector<int>& places) const {
  std::map<std::string_view, size_t> nodes;
  std::string text;
  for (size_t i = 0; i < places.size(); ++i) {
    const platform::Device& device = platform_.devices()[static_cast<size_t>(places[i])];
    text += std::to_string(nodes.emplace(device.node, nodes.size()).first->second) + "," + device.kind + "," +
            std::to_string(device.rail);
    const platform::Route route = platform_.route(places[i], places[(i + 1) % places.size()]);
    for (const int link : route.links) {
      const platform::Link& crossed = platform_.links()[static_cast<size_t>(link)];
      const Seconds latency         = crossed.latency + crossed.step_latency;
      text += "," + std::to_string(crossed.payload().value()) + "," + std::to_string(latency.value()) + "," +
              std::to_string(crossed.channels);
    }
    text += ";";
  }
  return text;
}

const std::vector<std::vector<int>>& GroupShapes::groups(const scenario::Scenario& scenario, Along along) {
  const scenario::Strategy& strategy = scenario.strategy;
  const std::vector<int> places      = scenario::places(scenario, platform_);
  const auto count                   = static_cast<size_t>(strategy.devices());
  const auto size                    = static_cast<size_t>(along == Along::tensor ? strategy.tp : strategy.dp);
  const size_t stride                = along == Along::tensor ? 1 : count / size;
  std::string key                    = std::to_string(size) + "/" + std::to_string(stride);
  for (size_t rank = 0; rank < count; ++rank) key += " " + std::to_string(places[rank]);
  const auto [found, fresh] = known_.try_emplace(std::move(key));
  if (!fresh) return found->second;
  std::set<std::string> shapes;
  for (size_t g = 0; g < count / size; ++g) {
    std::vector<int> group;
    const size_t first = along == Along::tensor ? g * size : g;
    for (size_t i = 0; i < size; ++i) group.push_back(places[first + i * stride]);
    if (shapes.insert(shape(group)).second) found->second.push_back(std::move(group));
  }
  return found->second;
}

}  // namespace foreflow::search
