// The routings of zones: what a zone says of the way between two of its members. The rules, down to which of several
// shortest ways is taken, are those of SimGrid 3.32 (src/kernel/routing/*Zone.cpp).
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "platform/zones/tree.h"

namespace foreflow::platform::zones {

// The links of the whole way between two points of the platform.
using Between = std::function<void(Point from, Point to, Way& way)>;

// Appends the way between two members of one zone. way.found stays false when there is none.
using LocalRouter = std::function<void(int from, int to, const Between& between, Way& way)>;

struct RoutingDef {
  std::string_view name;                            // of the attribute `routing`, in any case
  bool paths;                                       // its routes join two members
  bool star;                                        // its routes, if any, join a member and its middle
  LocalRouter (*make)(const Tree& tree, int zone);  // null: it cannot be simulated
  std::string_view refusal = {};                    // then why not
};

const std::vector<RoutingDef>& routings();
// Null when there is none.
const RoutingDef* find_routing(std::string_view name);

LocalRouter full_routing(const Tree& tree, int zone);
LocalRouter floyd_routing(const Tree& tree, int zone);
LocalRouter dijkstra_routing(const Tree& tree, int zone);
LocalRouter star_routing(const Tree& tree, int zone);
LocalRouter vivaldi_routing(const Tree& tree, int zone);
LocalRouter no_routing(const Tree& tree, int zone);

// Routes between any two points of a platform. `tree` must outlive the result.
class ZoneRouter {
 public:
  explicit ZoneRouter(const Tree& tree) : tree_(tree), local_(tree.zones.size()) {}
  // way.found is false when they are not connected.
  void route(Point from, Point to, Way& way);

 private:
  void from_zone(int zone, int from, int to, Way& way);
  bool bypass(int zone, Point from, Point to, Way& way);

  const Tree& tree_;
  std::vector<LocalRouter> local_;  // of zones that were asked
};

}  // namespace foreflow::platform::zones
