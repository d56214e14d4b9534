#include "platform/routes/shortest.h"

#include <cmath>
#include <utility>

#include "foreflow/base/nth.h"

namespace foreflow::platform {

namespace {

constexpr double kPicosecond = 1e-12;

}  // namespace

Cost cost_of(Seconds latency, size_t links) {
  return static_cast<Cost>(std::llround(latency.value() / kPicosecond)) * 256 + links;
}

Seconds latency_of(Cost cost) { return Seconds(static_cast<double>(cost / 256) * kPicosecond); }

Network::Network(std::span<const Wire> wires, std::vector<char> forwards)
    : forwards_(std::move(forwards)), first_(forwards_.size() + 1), arcs_(2 * wires.size()) {
  for (const Wire& wire : wires) {
    ++first_[static_cast<size_t>(wire.a) + 1];
    ++first_[static_cast<size_t>(wire.b) + 1];
  }
  for (size_t v = 1; v < first_.size(); ++v) first_[v] += first_[v - 1];
  std::vector<size_t> next = first_;
  for (size_t i = 0; i < wires.size(); ++i) {
    const auto& [a, b, forth, back] = wires[i];
    const int step                  = 2 * static_cast<int>(i);
    arcs_[nth(next, a)++]           = {b, step, forth, back};
    arcs_[nth(next, b)++]           = {a, step + 1, back, forth};
  }
}

CostsTo::CostsTo(const Network& network, int target)
    : target_(target), costs_(static_cast<size_t>(network.size()), kFar), sure_(costs_.size()) {
  nth(costs_, target) = 0;
  frontier_.emplace(0, target);
}

void CostsTo::reach(const Network& network, int from) {
  while (nth(sure_, from) == 0 && !frontier_.empty()) {
    const auto [cost, at] = frontier_.top();
    frontier_.pop();
    if (nth(sure_, at) != 0) continue;
    nth(sure_, at) = 1;
    if (at != target_ && !network.forwards(at)) continue;
    for (const Arc& arc : network.arcs(at)) {
      Cost& known = nth(costs_, arc.to);
      if (cost + arc.back >= known) continue;
      known = cost + arc.back;
      frontier_.emplace(known, arc.to);
    }
  }
}

std::vector<Cost> costs_to(const Network& network, int target) {
  CostsTo search(network, target);
  for (int from = 0; from < network.size(); ++from) search.reach(network, from);
  return search.costs();
}

}  // namespace foreflow::platform
