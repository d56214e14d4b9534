#include "simulate/group_routes.h"

#include <algorithm>
#include <bit>

namespace foreflow::simulate {
namespace {

constexpr size_t kMostPlaces = 16;  // there is a route for each pair

uint64_t word(double value) { return std::bit_cast<uint64_t>(value); }

// Numbers values by their first appearance. There are few, so a list is faster than a table.
class Appearance {
 public:
  // And whether it is the first.
  std::pair<uint64_t, bool> of(int value) {
    const auto found = std::find(values_.begin(), values_.end(), value);
    const auto at    = static_cast<uint64_t>(found - values_.begin());
    const bool fresh = found == values_.end();
    if (fresh) values_.push_back(value);
    return {at, fresh};
  }
  std::vector<int> take() && { return std::move(values_); }

 private:
  std::vector<int> values_;
};

class GroupRoutesWriter {
 public:
  GroupRoutesWriter(const platform::Platform& platform, const std::vector<LinkTrace>& traces)
      : platform_(platform), traces_(traces) {}

  std::optional<GroupRoutes> run(const std::vector<int>& places) && {
    constexpr size_t kUsualWords = 10;  // of a route; a guess that saves allocations
    pattern_.reserve(kUsualWords * places.size() * places.size());
    Appearance nodes, known;
    for (const int place : places) {
      write(known.of(place).first);
      write(static_cast<uint64_t>(platform_.device_kind(place)));
      write(nodes.of(platform_.node(place)).first);
    }
    for (const int from : places) {
      for (const int to : places) {
        if (from != to && !add(platform_.route(from, to))) return std::nullopt;
      }
    }
    return GroupRoutes{std::move(pattern_), std::move(links_).take()};
  }

 private:
  void write(uint64_t value) { pattern_.push_back(value); }

  bool add(const platform::Route& route) {
    if (!route.exists()) return false;
    pattern_.insert(pattern_.end(), {route.links.size(), word(route.latency.value()), word(route.step_latency.value()),
                                     word(route.limit.value())});
    for (const int link : route.links) {
      const auto [number, fresh] = links_.of(link);
      write(number);
      if (!fresh) continue;
      write(static_cast<uint64_t>(platform_.link_kind(link)));
      const bool changes =
          std::any_of(traces_.begin(), traces_.end(), [link](const LinkTrace& trace) { return trace.link == link; });
      write(changes ? static_cast<uint64_t>(link) + 1 : 0);
    }
    return true;
  }

  const platform::Platform& platform_;
  const std::vector<LinkTrace>& traces_;
  std::vector<uint64_t> pattern_;
  Appearance links_;
};

}  // namespace

std::optional<GroupRoutes> group_routes(const platform::Platform& platform, const std::vector<LinkTrace>& traces,
                                        const std::vector<int>& places) {
  if (places.size() > kMostPlaces) return std::nullopt;
  return GroupRoutesWriter(platform, traces).run(places);
}

}  // namespace foreflow::simulate
