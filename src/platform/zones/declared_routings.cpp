// Zones whose routes stand in the file, or that have none.
#include <algorithm>
#include <set>

#include "foreflow/base/nth.h"
#include "platform/zones/routings.h"

namespace foreflow::platform::zones {
namespace {

void append(const std::vector<int>& links, Way& way) { way.links.insert(way.links.end(), links.begin(), links.end()); }

std::set<int> zones_in(const Tree& tree, int number) {
  std::set<int> members;
  for (const Zone& zone : tree.zones) {
    if (zone.parent == number) members.insert(zone.member);
  }
  return members;
}

}  // namespace

// A message of a host to itself crosses SimGrid's own loopback, unless the file has a route for it.
LocalRouter full_routing(const Tree& tree, int number) {
  const Zone& zone = nth(tree.zones, number);
  return [&tree, &zone](int from, int to, const Between&, Way& way) {
    const auto found = zone.path_of.find({from, to});
    if (found == zone.path_of.end()) {
      if (from != to || zone.inner) return;
      append({tree.loopback}, way);
      way.found = true;
      return;
    }
    const Path& path = nth(zone.paths, found->second);
    append(path.links, way);
    way.from_gate = path.from_gate;
    way.to_gate   = path.to_gate;
    way.found     = true;
  };
}

LocalRouter star_routing(const Tree& tree, int number) {
  const Zone& zone = nth(tree.zones, number);
  if (zone.cluster) {
    return [&zone](int from, int to, const Between&, Way& way) {
      zone.cluster->topology->cross(*zone.cluster, from, to, way);
    };
  }
  const std::set<int> zones = zones_in(tree, number);
  return [&zone, zones](int from, int to, const Between&, Way& way) {
    if (zones.contains(from) || zones.contains(to)) return;  // they have no gateways
    const auto out = zone.ends.find(from), in = zone.ends.find(to);
    way.found = true;
    if (from == to && out != zone.ends.end() && !out->second.loopback.empty()) return append(out->second.loopback, way);
    const auto begin = static_cast<std::ptrdiff_t>(way.links.size());
    const auto once  = [&](const std::vector<int>& links) {
      for (const int link : links) {
        if (std::find(way.links.begin() + begin, way.links.end(), link) == way.links.end()) way.links.push_back(link);
      }
    };
    if (out != zone.ends.end()) once(out->second.up);
    if (in != zone.ends.end()) once(in->second.down);
  };
}

LocalRouter no_routing(const Tree&, int) {
  return [](int, int, const Between&, Way&) {};
}

}  // namespace foreflow::platform::zones
