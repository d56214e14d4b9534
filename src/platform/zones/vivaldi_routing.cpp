// Network coordinates (Dabek et al., "Vivaldi: A Decentralized Network Coordinate System", 2004): two in a plane and a
// height. The latency between two members is their distance in the plane and both heights, in milliseconds, beside that
// of the links of a peer.
//
// A member that is a zone X is where its router "router_X" is, which is also its gateway. (SimGrid 3.32 means the same,
// and aborts.)
#include <cmath>
#include <map>
#include <optional>

#include "foreflow/base/nth.h"
#include "platform/zones/routings.h"

namespace foreflow::platform::zones {
namespace {

struct Position {
  Coordinates coordinates;
  Point gate{};  // of a zone
};

double milliseconds(const Coordinates& a, const Coordinates& b) {
  return std::sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])) + std::fabs(a[2]) + std::fabs(b[2]);
}

std::map<int, Position> positions(const Tree& tree, int number) {
  std::map<int, Position> all;
  for (const auto& [member, coordinates] : nth(tree.zones, number).coordinates) all[member] = {coordinates};
  for (const Zone& zone : tree.zones) {
    if (zone.parent != number) continue;
    const std::optional<Point> router = find_point(tree, "router_" + zone.id);
    if (!router || router->zone < 0) continue;
    const auto& known = nth(tree.zones, router->zone).coordinates;
    const auto at     = known.find(router->member);
    if (at != known.end()) all[zone.member] = {at->second, *router};
  }
  return all;
}

}  // namespace

LocalRouter vivaldi_routing(const Tree& tree, int number) {
  const Zone& zone = nth(tree.zones, number);
  return [&zone, all = positions(tree, number), star = star_routing(tree, number)](int from, int to,
                                                                                   const Between& between, Way& way) {
    const auto a = all.find(from), b = all.find(to);
    if (a == all.end() || b == all.end()) return;
    if (a->second.gate == kNowhere && b->second.gate == kNowhere) {
      star(from, to, between, way);
    } else {  // only a peer has links
      way.found = true;
      if (const auto out = zone.ends.find(from); out != zone.ends.end())
        way.links.insert(way.links.end(), out->second.up.begin(), out->second.up.end());
      if (const auto in = zone.ends.find(to); in != zone.ends.end())
        way.links.insert(way.links.end(), in->second.down.begin(), in->second.down.end());
    }
    way.from_gate = a->second.gate;
    way.to_gate   = b->second.gate;
    way.further += milliseconds(a->second.coordinates, b->second.coordinates) / 1000;
  };
}

}  // namespace foreflow::platform::zones
