#include "simulate/group_routes.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace foreflow::simulate {
namespace {

constexpr size_t kMostPlaces = 16;  // there is a route for each pair

uint64_t word(double value) { return std::bit_cast<uint64_t>(value); }

class GroupRoutesWriter {
 public:
  GroupRoutesWriter(const platform::Platform& platform, const std::vector<LinkTrace>& traces)
      : platform_(platform), traces_(traces) {}

  std::optional<GroupRoutes> run(const std::vector<int>& places) && {
    std::unordered_map<int, uint64_t> nodes, known;
    for (const int place : places) {
      write(known.emplace(place, known.size()).first->second);
      write(static_cast<uint64_t>(platform_.device_kind(place)));
      write(nodes.emplace(platform_.node(place), nodes.size()).first->second);
    }
    for (const int from : places) {
      for (const int to : places) {
        if (from != to && !add(platform_.route(from, to))) return std::nullopt;
      }
    }
    return std::move(routes_);
  }

 private:
  void write(uint64_t value) { routes_.pattern.push_back(value); }

  bool add(const platform::Route& route) {
    if (!route.exists()) return false;
    write(route.links.size());
    write(word(route.latency.value()));
    write(word(route.step_latency.value()));
    write(word(route.limit.value()));
    for (const int link : route.links) {
      const auto [found, fresh] = numbers_.emplace(link, numbers_.size());
      write(found->second);
      if (!fresh) continue;
      routes_.links.push_back(link);
      write(static_cast<uint64_t>(platform_.link_kind(link)));
      const bool changes =
          std::any_of(traces_.begin(), traces_.end(), [link](const LinkTrace& trace) { return trace.link == link; });
      write(changes ? static_cast<uint64_t>(link) + 1 : 0);
    }
    return true;
  }

  const platform::Platform& platform_;
  const std::vector<LinkTrace>& traces_;
  GroupRoutes routes_;
  std::unordered_map<int, uint64_t> numbers_;  // of links
};

}  // namespace

std::optional<GroupRoutes> group_routes(const platform::Platform& platform, const std::vector<LinkTrace>& traces,
                                        const std::vector<int>& places) {
  if (places.size() > kMostPlaces) return std::nullopt;
  return GroupRoutesWriter(platform, traces).run(places);
}

}  // namespace foreflow::simulate
