#include "search/bounds/group_shapes.h"

#include <algorithm>
#include <set>

#include "foreflow/base/nth.h"

namespace foreflow::search {

const Arrangement& GroupShapes::arrangement(const scenario::Scenario& scenario,
                                            const std::vector<scenario::Placement>& placements) {
  const scenario::Strategy& strategy = scenario.strategy;
  std::string text                   = part_text(scenario, "placement");
  for (const int degree : {strategy.dp, strategy.tp, strategy.pp, strategy.cp, strategy.ep})
    text += "/" + std::to_string(degree);
  for (const scenario::Placement& placement : placements) {
    text += "/";
    for (const scenario::Dimension dimension : placement.order) text += std::to_string(static_cast<int>(dimension));
  }
  const auto [found, fresh] = by_text_.try_emplace(std::move(text));
  if (!fresh) return *found->second;
  std::vector<std::vector<int>> ways;
  scenario::Scenario placed = scenario;
  for (const scenario::Placement& placement : placements.empty() ? std::vector{scenario.placement} : placements) {
    placed.placement        = placement;
    std::vector<int> places = scenario::places(placed, platform_);
    places.resize(static_cast<size_t>(strategy.devices()));
    ways.push_back(std::move(places));
  }
  const auto known = arrangements_.find(ways);
  if (known != arrangements_.end()) return *(found->second = &known->second);
  Arrangement made{static_cast<int>(arrangements_.size()), ways};
  return *(found->second = &arrangements_.emplace(std::move(ways), std::move(made)).first->second);
}

Seconds GroupShapes::alone(const Arrangement& where, const scenario::Message& message, int step) {
  return alone(where, message, ShiftedGroups{message.ranks, step, static_cast<int>(where.ranks()) / step});
}

Seconds GroupShapes::alone(const Arrangement& where, const scenario::Message& message, const ShiftedGroups& groups) {
  Seconds least;
  bool first = true;
  for (const Group& group : distinct(where, groups)) {
    const Asked asked{message.kind, message.algorithm, message.bytes.value(), group.shape, message.measured};
    auto known = times_.find(asked);
    if (known == times_.end()) known = times_.emplace(asked, scenario::alone(message, group.numbered(), alone_)).first;
    least = first ? known->second : std::min(least, known->second);
    first = false;
  }
  return least;
}

Seconds GroupShapes::all_reduce(const scenario::Scenario& scenario, const Arrangement& where, Bytes bytes,
                                const ShiftedGroups& groups) {
  Seconds least;
  bool first = true;
  for (const Group& group : distinct(where, groups)) {
    const auto [known, fresh] = reduced_.try_emplace(Reduced(bytes.value(), groups.ranks, group.shape));
    if (fresh) known->second = scenario::least_all_reduce(scenario, bytes, groups.ranks, group.numbered(), alone_);
    least = first ? known->second : std::min(least, known->second);
    first = false;
  }
  return least;
}

// The shape of a group: its devices by node, in order of the nodes' first members, and the links that messages cross
// from each member to those 1, 2, 4, ... positions later.
int GroupShapes::shape(const std::vector<int>& places) {
  std::map<int, size_t> nodes;
  std::vector<uint64_t> words;
  const auto write = [&](auto value) { words.push_back(static_cast<uint64_t>(value)); };
  for (size_t i = 0; i < places.size(); ++i) {
    write(nodes.emplace(platform_.node(places[i]), nodes.size()).first->second);
    write(platform_.device_kind(places[i]));
    write(nth(platform_.devices(), places[i]).rail);
    for (size_t further = 1; further < places.size(); further *= 2) {
      const platform::Route route = platform_.route(places[i], places[(i + further) % places.size()]);
      write(route.links.size());
      for (const int link : route.links) write(platform_.link_kind(link));
      for (const double figure : {route.latency.value(), route.step_latency.value(), route.limit.value()})
        write(std::bit_cast<uint64_t>(figure));
    }
  }
  return static_cast<int>(shapes_.number(words));
}

const std::vector<GroupShapes::Group>& GroupShapes::distinct(const Arrangement& where, const ShiftedGroups& groups) {
  const auto [found, fresh] =
      known_.try_emplace(Grouping(where.number, groups.step, groups.count, groups.neighbours, groups.ranks));
  if (!fresh) return found->second;
  std::set<int> shapes;
  for (const std::vector<int>& places : where.ways) {
    for (int g = 0; g < groups.count; ++g) {
      std::vector<int> group;
      const int first = g / groups.neighbours * groups.step + g % groups.neighbours;
      for (const int rank : groups.ranks)
        group.push_back(places[static_cast<size_t>(rank) + static_cast<size_t>(first)]);
      const int number = shape(group);
      if (shapes.insert(number).second) found->second.push_back({std::move(group), number});
    }
  }
  return found->second;
}

}  // namespace foreflow::search
