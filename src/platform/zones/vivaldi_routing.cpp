// Network coordinates (Dabek et al., "Vivaldi: A Decentralized Network Coordinate System", 2004): two in a plane and a
// height. The latency between two members is their distance in the plane and both heights, in milliseconds, beside that
// of the links of a peer.
#include <cmath>

#include "platform/zones/routings.h"

namespace foreflow::platform::zones {

LocalRouter vivaldi_routing(const Tree& tree, int number) {
  const Zone& zone = tree.zones[static_cast<size_t>(number)];
  return [&zone, star = star_routing(tree, number)](int from, int to, const Between& between, Way& way) {
    const auto a = zone.coordinates.find(from), b = zone.coordinates.find(to);
    if (a == zone.coordinates.end() || b == zone.coordinates.end()) return;
    star(from, to, between, way);
    const auto& [x1, y1, height1] = a->second;
    const auto& [x2, y2, height2] = b->second;
    const double milliseconds =
        std::sqrt((x1 - x2) * (x1 - x2) + (y1 - y2) * (y1 - y2)) + std::fabs(height1) + std::fabs(height2);
    way.further += milliseconds / 1000;
  };
}

}  // namespace foreflow::platform::zones
