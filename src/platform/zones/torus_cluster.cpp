// A torus of any number of dimensions. A message goes the first dimension to its end, then the second, and so on.
//   host 0 -x- host 1 -x- host 2 -x- (host 0)     "3,2": 6 hosts; host 3 is host 0's neighbour in y
// In each dimension it turns where SimGrid's TorusZone turns: forth if the target is at most half the ring ahead. Which
// way it goes round depends on where the message began, so a ring of an even size is not crossed symmetrically.
#include <fmt/core.h>

#include "foreflow/base/nth.h"
#include "platform/zones/topologies.h"
#include "platform/zones/way.h"

namespace foreflow::platform::zones {
namespace {

int dimensions(const Cluster& cluster) { return static_cast<int>(cluster.numbers.front().size()); }

// The place of a host in one dimension of `size`, of which the lower ones have `below` hosts together.
int place(int host, int below, int size) { return host / below % size; }

int next_host(int host, int below, int size) {
  return place(host, below, size) == size - 1 ? host - (size - 1) * below : host + below;
}
int previous_host(int host, int below, int size) {
  return place(host, below, size) == 0 ? host + (size - 1) * below : host - below;
}

bool goes_forth(int mine, int target, int size) {
  return (target > mine && target <= mine + size / 2) || (mine > size / 2 && (mine + size / 2) % size >= target);
}

void add_limiter(const Cluster& cluster, int host, Way& way) {
  if (cluster.has_limiter()) way.links.push_back(cluster.limiters_at() + host);
}

void cross_torus(const Cluster& cluster, int from, int to, Way& way) {
  way.found = true;
  if (from == to && cluster.has_loopback()) {
    way.links.push_back(cluster.loopbacks_at() + from);
    return;
  }
  int at = from, below = 1;
  for (int d = 0; d < dimensions(cluster); ++d) {
    const int size   = nth(cluster.numbers.front(), d);
    const bool forth = goes_forth(place(from, below, size), place(to, below, size), size);
    while (place(at, below, size) != place(to, below, size)) {
      add_limiter(cluster, at, way);
      const int next = forth ? next_host(at, below, size) : previous_host(at, below, size);
      way.links.push_back(forth ? cluster.up(at * dimensions(cluster) + d)
                                : cluster.down(next * dimensions(cluster) + d));
      at = next;
    }
    below *= size;
  }
  add_limiter(cluster, to, way);
}

int64_t hosts_of_torus(const Cluster& cluster) {
  int64_t all = 1;
  for (const int size : cluster.numbers.front()) all = std::min(all * size, int64_t{1} << 40);
  return all;
}

std::string torus_cable(const Cluster& cluster, int cable) {
  const int host = cable / dimensions(cluster);
  int below      = 1;
  for (int d = 0; d < cable % dimensions(cluster); ++d) below *= nth(cluster.numbers.front(), d);
  const int size = nth(cluster.numbers.front(), cable % dimensions(cluster));
  return fmt::format("{}_link_from_{}_to_{}", cluster.id, host, next_host(host, below, size));
}

std::vector<int> torus_like(const Cluster& cluster, std::string_view name) {
  const std::string stem = cluster.id + "_link_from_";
  if (!name.starts_with(stem)) return {};
  const std::string_view rest = name.substr(stem.size());
  const auto host             = plain_number(rest.substr(0, rest.find('_')));
  if (!host || *host >= cluster.hosts()) return {};
  std::vector<int> result;
  for (int d = 0; d < dimensions(cluster); ++d) result.push_back(*host * dimensions(cluster) + d);
  return result;
}

}  // namespace

ClusterTopology torus_cluster() {
  return {.name        = "TORUS",
          .read        = [](std::string_view text) { return read_number_lists(text, 1, "3,2,2"); },
          .hosts       = hosts_of_torus,
          .switches    = [](const Cluster&) { return int64_t{0}; },
          .cables      = [](const Cluster& cluster) { return int64_t{cluster.hosts()} * dimensions(cluster); },
          .cable_name  = torus_cable,
          .cables_like = torus_like,
          .width       = [](const Cluster&, int) { return 1; },
          .cross       = cross_torus};
}

}  // namespace foreflow::platform::zones
