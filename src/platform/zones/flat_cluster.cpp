// A flat cluster: each host has one cable to the middle, which all messages cross, by way of the backbone if there is
// one.
//   host a - limiter - cable up - backbone - cable down - limiter - host b
// The router in the middle has no cable of its own, so a way to it ends behind the backbone.
#include <fmt/core.h>

#include "platform/zones/topologies.h"
#include "platform/zones/way.h"

namespace foreflow::platform::zones {
namespace {

// A link that stands twice on a way counts once, as SimGrid's StarZone has it.
void add_once(Way& way, size_t begin, int link) {
  for (size_t i = begin; i < way.links.size(); ++i) {
    if (way.links[i] == link) return;
  }
  way.links.push_back(link);
}

void cross_flat(const Cluster& cluster, int from, int to, Way& way) {
  const size_t begin = way.links.size();
  way.found          = true;
  if (from == to && from < cluster.hosts() && cluster.has_loopback()) {
    way.links.push_back(cluster.loopbacks_at() + from);
    return;
  }
  if (from < cluster.hosts()) {
    if (cluster.has_limiter()) add_once(way, begin, cluster.limiters_at() + from);
    add_once(way, begin, cluster.up(from));
    if (cluster.has_backbone()) add_once(way, begin, cluster.first_link);
  }
  if (to < cluster.hosts()) {
    if (cluster.has_backbone()) add_once(way, begin, cluster.first_link);
    add_once(way, begin, cluster.down(to));
    if (cluster.has_limiter()) add_once(way, begin, cluster.limiters_at() + to);
  }
}

std::vector<int> flat_like(const Cluster& cluster, std::string_view name) {
  const Series links{cluster.id + "_link_", "", cluster.names.radical};
  const auto index = links.find(name);
  return index ? std::vector{*index} : std::vector<int>{};
}

}  // namespace

ClusterTopology flat_cluster() {
  return {.name     = "FLAT",
          .read     = [](std::string_view) { return std::vector<std::vector<int>>{}; },
          .hosts    = [](const Cluster&) { return int64_t{-1}; },
          .switches = [](const Cluster&) { return int64_t{0}; },
          .cables   = [](const Cluster& cluster) { return int64_t{cluster.hosts()}; },
          .cable_name =
              [](const Cluster& cluster, int cable) {
                return fmt::format("{}_link_{}", cluster.id, cluster.names.radical->number(cable));
              },
          .cables_like = flat_like,
          .width       = [](const Cluster&, int) { return 1; },
          .cross       = cross_flat};
}

}  // namespace foreflow::platform::zones
