#include "platform/shortest.h"

#include <cmath>
#include <functional>
#include <queue>
#include <utility>

namespace foreflow::platform {

Cost cost_of(Seconds latency, size_t links) {
  constexpr double kPicosecond = 1e-12;
  return static_cast<Cost>(std::llround(latency.value() / kPicosecond)) * 256 + links;
}

Network::Network(std::span<const Wire> wires, std::vector<char> forwards)
    : forwards_(std::move(forwards)), first_(forwards_.size() + 1), arcs_(2 * wires.size()) {
  for (const Wire& wire : wires) {
    ++first_[static_cast<size_t>(wire.a) + 1];
    ++first_[static_cast<size_t>(wire.b) + 1];
  }
  for (size_t v = 1; v < first_.size(); ++v) first_[v] += first_[v - 1];
  std::vector<size_t> next = first_;
  for (size_t i = 0; i < wires.size(); ++i) {
    const auto& [a, b, forth, back]       = wires[i];
    const int step                        = 2 * static_cast<int>(i);
    arcs_[next[static_cast<size_t>(a)]++] = {b, step, forth, back};
    arcs_[next[static_cast<size_t>(b)]++] = {a, step + 1, back, forth};
  }
}

std::vector<Cost> costs_to(const Network& network, int target) {
  std::vector<Cost> costs(static_cast<size_t>(network.size()), kFar);
  using Entry = std::pair<Cost, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> frontier;
  costs[static_cast<size_t>(target)] = 0;
  frontier.emplace(0, target);
  while (!frontier.empty()) {
    const auto [cost, at] = frontier.top();
    frontier.pop();
    if (cost > costs[static_cast<size_t>(at)] || (at != target && !network.forwards(at))) continue;
    for (const Arc& arc : network.arcs(at)) {
      Cost& known = costs[static_cast<size_t>(arc.to)];
      if (cost + arc.back >= known) continue;
      known = cost + arc.back;
      frontier.emplace(known, arc.to);
    }
  }
  return costs;
}

}  // namespace foreflow::platform
