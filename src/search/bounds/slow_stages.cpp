#include "search/bounds/slow_stages.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace foreflow::search {
namespace {

using Replica = SlowStages::Replica;

bool is_no_slower(const Replica& one, const Replica& other) {
  return std::equal(one.begin(), one.end(), other.begin(), [](double a, double b) { return a <= b; });
}

double sum_of(const Replica& replica) { return std::accumulate(replica.begin(), replica.end(), 0.0); }

// The slowest first, without those that others stand for.
std::vector<Replica> slowest(const std::set<Replica>& all, size_t most) {
  std::vector<Replica> sorted(all.begin(), all.end()), kept;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Replica& a, const Replica& b) { return sum_of(a) > sum_of(b); });
  for (const Replica& one : sorted) {
    const bool is_covered =
        std::any_of(kept.begin(), kept.end(), [&](const Replica& slower) { return is_no_slower(one, slower); });
    if (!is_covered && kept.size() < most) kept.push_back(one);
  }
  return kept;
}

}  // namespace

const std::vector<SlowStages::Factors>& SlowStages::factors_on(const platform::Platform& platform) {
  const auto [found, fresh] = factors_.try_emplace(&platform);
  for (uint64_t seed = 1; fresh && seed <= worlds_.count; ++seed) {
    Factors& factors = found->second.emplace_back();
    for (const simulate::Slowdown& slowdown : disturbances_of(worlds_, seed, platform).slowdowns) {
      const bool is_always = slowdown.from <= Seconds(0) && slowdown.until == simulate::kForever;
      if (is_always && slowdown.factor > 1) factors.try_emplace(slowdown.device, 1).first->second *= slowdown.factor;
    }
  }
  return found->second;
}

std::vector<std::vector<Replica>> SlowStages::in_worlds(const StagedStep& step, const platform::Platform& platform) {
  const std::vector<int>& places = step.where.ways.front();
  const auto group = static_cast<size_t>(step.group), replica = group * step.plan().order.size();
  std::map<int, size_t> rank_of;
  for (size_t rank = 0; rank < places.size(); ++rank) rank_of.emplace(places[rank], rank);
  std::vector<std::vector<Replica>> worlds;
  for (const Factors& factors : factors_on(platform)) {
    std::map<size_t, std::vector<double>> slow;  // by replica, and by device of the plan
    for (const auto& [place, factor] : factors) {
      const auto rank = rank_of.find(place);
      if (rank == rank_of.end()) continue;
      const size_t number = rank->second / replica;
      double& slowest =
          slow.try_emplace(number, step.plan().order.size(), 1.0).first->second[rank->second % replica / group];
      slowest = std::max(slowest, factor);
    }
    std::set<Replica> distinct;
    for (const auto& [number, of_device] : slow) {
      Replica stages(step.demand.stages.size(), 1);
      for (size_t stage = 0; stage < stages.size(); ++stage) stages[stage] = of_device[step.place_of(stage).first];
      distinct.insert(std::move(stages));
    }
    worlds.push_back(slowest(distinct, kMost));
  }
  return worlds;
}

}  // namespace foreflow::search
