#include "platform/capacity/halves.h"

#include <algorithm>
#include <cmath>

#include "foreflow/base/nth.h"
#include "foreflow/platform/describe.h"
#include "platform/capacity/max_flow.h"

namespace foreflow::platform {
namespace {

// Marks the steps of one island that its senders, receivers and ports use.
class UsedSteps {
 public:
  UsedSteps(const Island& island, const Shape& shape, std::vector<char>& used)
      : island_(island), shape_(shape), used_(used) {}

  void mark_inside(const std::vector<int>& senders, const std::vector<int>& receivers) {
    for (const int to : receivers) mark_ways(senders, to);
  }

  void mark_ways_out(const std::vector<int>& senders) {
    for (const Door& door : shape_.doors) mark_ways(senders, door.at);
    for (const IslandPort& port : island_.ports) mark_step(port.out_step);
  }

  void mark_ways_in(const std::vector<int>& receivers) {
    std::vector<int> doors;
    for (const Door& door : shape_.doors) doors.push_back(door.at);
    for (const int to : receivers) mark_ways(doors, to);
    for (const IslandPort& port : island_.ports) mark_step(port.in_step);
  }

 private:
  void mark_step(int step) {
    if (step >= 0) nth(used_, step) = 1;
  }

  // All shortest ways from `starts` to `to`.
  void mark_ways(const std::vector<int>& starts, int to) {
    const std::vector<Cost>& left = nth(shape_.left, to);
    std::vector<char> seen(left.size());
    std::vector<int> frontier = starts;
    while (!frontier.empty()) {
      const int at = frontier.back();
      frontier.pop_back();
      const Cost here = nth(left, at);
      if (at == to || here == kFar || nth(seen, at) != 0) continue;
      nth(seen, at) = 1;
      for (const Arc& arc : shape_.network.arcs(at)) {
        if (arc.to != to && !shape_.network.forwards(arc.to)) continue;
        if (add(arc.there, nth(left, arc.to)) != here) continue;
        mark_step(2 * nth(island_.edges, arc.step / 2) + arc.step % 2);
        frontier.push_back(arc.to);
      }
    }
  }

  const Island& island_;
  const Shape& shape_;
  std::vector<char>& used_;
};

std::vector<char> used_steps(const Platform& platform, const Parts& parts, const std::vector<char>& sends) {
  const Graph& graph = *platform.graph();
  std::vector<char> used(2 * graph.edges.size());
  for (const int edge : parts.core.edges) {
    const size_t forth = 2 * static_cast<size_t>(edge);
    used[forth] = used[forth + 1] = 1;
  }
  for (const Switch& leaf : parts.core.switches) {
    if (leaf.up_step < 0) continue;
    nth(used, leaf.up_step) = nth(used, leaf.down_step) = 1;
  }
  const auto all_receivers = static_cast<size_t>(std::count(sends.begin(), sends.end(), 0));
  for (const Island& island : parts.islands) {
    std::vector<int> senders, receivers;
    for (size_t i = 0; i < island.vertices.size(); ++i) {
      const auto vertex = static_cast<size_t>(island.vertices[i]);
      if (vertex < sends.size()) (sends[vertex] != 0 ? senders : receivers).push_back(static_cast<int>(i));
    }
    UsedSteps steps(island, nth(parts.shapes, island.shape), used);
    steps.mark_inside(senders, receivers);
    if (!senders.empty() && receivers.size() < all_receivers) steps.mark_ways_out(senders);
    if (!receivers.empty() && senders.size() < sends.size() - all_receivers) steps.mark_ways_in(receivers);
  }
  return used;
}

// Bandwidth of one message that crosses these links one after the other.
int64_t capacity(const Platform& platform, const std::vector<int>& links) {
  return std::llround(route_bandwidth(platform, {links, Seconds(0)}).value());
}

}  // namespace

int64_t cut_between(const Platform& platform, const Parts& parts, const std::vector<char>& idle,
                    const std::vector<char>& sends) {
  const Graph& graph           = *platform.graph();
  const std::vector<char> used = used_steps(platform, parts, sends);
  const auto is_idle           = [&](const std::vector<int>& links) {
    return !idle.empty() && std::any_of(links.begin(), links.end(), [&](int link) { return nth(idle, link) != 0; });
  };
  std::vector<Pipe> pipes;
  for (size_t e = 0; e < graph.edges.size(); ++e) {
    const Edge& edge = graph.edges[e];
    if (used[2 * e] != 0 && !is_idle(edge.forth)) pipes.push_back({edge.a, edge.b, capacity(platform, edge.forth)});
    if (used[2 * e + 1] != 0 && !is_idle(edge.back)) pipes.push_back({edge.b, edge.a, capacity(platform, edge.back)});
  }
  std::vector<int> senders, receivers;
  for (size_t d = 0; d < sends.size(); ++d) (sends[d] != 0 ? senders : receivers).push_back(static_cast<int>(d));
  return max_flow(static_cast<int>(graph.vertices.size()), pipes, senders, receivers);
}

}  // namespace foreflow::platform
