// Ways over several zones:
//
//        common zone                1. the lowest zone around both ends; zones A and B are its members
//         A ----- B                 2. a bypass that it declares comes first
//        / \     / \                3. else its own way from A to B, which begins and ends at gateways inside them
//    from - g   h - to              4. and, found in the same manner, the ways from `from` to g and from h to `to`
#include <fmt/core.h>

#include <algorithm>

#include "foreflow/base/nth.h"
#include "platform/zones/routings.h"

namespace foreflow::platform::zones {
namespace {

// The zones around a point, from the inside out.
std::vector<int> zones_around(const Tree& tree, Point point) {
  std::vector<int> path;
  for (int zone = point.zone; zone >= 0; zone = nth(tree.zones, zone).parent) path.push_back(zone);
  return path;
}

// The innermost zone around two points.
struct CommonZone {
  int zone;
  std::vector<int> from, to;  // the zones around each point below `zone`; only `zone` itself where a point lies in it
};

CommonZone common_zone(const Tree& tree, Point from, Point to) {
  CommonZone common{-1, zones_around(tree, from), zones_around(tree, to)};
  while (common.from.size() > 1 && common.to.size() > 1 && common.from.back() == common.to.back()) {
    common.zone = common.from.back();
    common.from.pop_back();
    common.to.pop_back();
  }
  if (common.from.back() == common.to.back()) common.zone = common.from.back();
  return common;
}

Point as_member(const Tree& tree, int zone) {
  const Zone& inside = nth(tree.zones, zone);
  return {inside.parent, inside.member};
}

}  // namespace

void ZoneRouter::from_zone(int zone, int from, int to, Way& way) {
  LocalRouter& local = nth(local_, zone);
  if (!local) local = nth(tree_.zones, zone).routing->make(tree_, zone);
  way.found = false;
  local(
      from, to, [this](Point a, Point b, Way& rest) { route(a, b, rest); }, way);
}

// Looks bypasses up for the zones around the ends, the nearest first, in the order of SimGrid.
bool ZoneRouter::bypass(int zone, Point from, Point to, Way& way) {
  const auto& bypasses = nth(tree_.zones, zone).bypasses;
  if (bypasses.empty()) return false;
  if (from.zone == zone && to.zone == zone) {
    const auto found = bypasses.find({from, to});
    if (found == bypasses.end()) return false;
    way.links.insert(way.links.end(), found->second.links.begin(), found->second.links.end());
    return way.found = true;
  }
  const CommonZone common = common_zone(tree_, from, to);
  const auto look_up      = [&](size_t i, size_t j) -> const Path* {
    if (i >= common.from.size() || j >= common.to.size()) return nullptr;
    const auto found = bypasses.find({as_member(tree_, common.from[i]), as_member(tree_, common.to[j])});
    return found == bypasses.end() ? nullptr : &found->second;
  };
  const Path* path = nullptr;
  for (size_t most = 0; path == nullptr && most < std::max(common.from.size(), common.to.size()); ++most) {
    for (size_t i = 0; path == nullptr && i < most; ++i) {
      path = look_up(i, most);
      if (path == nullptr) path = look_up(most, i);
    }
    if (path == nullptr) path = look_up(most, most);
  }
  if (path == nullptr) return false;
  route(from, path->from_gate, way);
  if (!way.found) return true;
  way.links.insert(way.links.end(), path->links.begin(), path->links.end());
  route(path->to_gate, to, way);
  return true;
}

void ZoneRouter::route(Point from, Point to, Way& way) {
  const CommonZone common = common_zone(tree_, from, to);
  way.found               = false;
  if (bypass(common.zone, from, to, way)) return;
  if (common.from.back() == common.to.back()) {
    // A host beside the zone that the other end is in: no routing joins the two.
    if (from.zone == common.zone && to.zone == common.zone) from_zone(common.zone, from.member, to.member, way);
    return;
  }
  Way across;
  from_zone(common.zone, as_member(tree_, common.from.back()).member, as_member(tree_, common.to.back()).member,
            across);
  if (!across.found || across.from_gate == kNowhere || across.to_gate == kNowhere) return;
  way.found = true;
  if (from != across.from_gate) route(from, across.from_gate, way);
  if (!way.found) return;
  way.links.insert(way.links.end(), across.links.begin(), across.links.end());
  way.further += across.further;
  if (across.to_gate != to) route(across.to_gate, to, way);
}

}  // namespace foreflow::platform::zones
