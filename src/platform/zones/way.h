// A route as it is being found.
#pragma once

#include <compare>
#include <vector>

namespace foreflow::platform::zones {

// A host, a router or a zone: a member of the zone around it.
struct Point {
  int zone                             = -1;  // -1: nothing
  int member                           = -1;  // counted in the order of the file
  auto operator<=>(const Point&) const = default;
};
constexpr Point kNowhere{};

// The way between two members of a zone.
struct Way {
  std::vector<int> links;
  double further = 0;            // latency in seconds beyond that of the links: of the distance in a Vivaldi zone
  Point from_gate{}, to_gate{};  // where a way between two zones leaves and enters them
  bool found = false;
};

}  // namespace foreflow::platform::zones
