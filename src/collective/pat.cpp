// PAT (Jeaugey, 2025): the all-gather of Bruck et al. (1997), in which every rank sends all that it has to the one 2^j
// places before it, the far distances first; a reduce-scatter is the same backwards. ceil(lg n) latencies, and no more
// bytes than a ring.
//
//   all-gather, n = 3    distance 2: 0>1 0  1>2 1  2>0 2      distance 1: 0>2 0  1>0 1  2>1 2
//                        (ranks that have it already are left out)
#include <algorithm>
#include <utility>

#include "collective/layout.h"

namespace foreflow::collective::definitions::pat {
namespace {

// One rank a node: within nodes NCCL does not use it.
bool supports(Kind kind, const Group& group) {
  return any_group(kind, group) && nodes(group).size() == static_cast<size_t>(group.ranks);
}

// Which ranks have the part of `origin`, as distances before it: those that are reached with the distances so far.
Plan gather(const Group& group) {
  const auto ranks = static_cast<size_t>(group.ranks);
  size_t distance  = 1;
  while (2 * distance < ranks) distance *= 2;
  Plan result{group.ranks, {}};
  std::vector<size_t> have = {0};
  for (; distance > 0; distance /= 2) {
    auto& transfers = result.steps.emplace_back();
    std::vector<size_t> reached;
    for (const size_t place : have) {
      if (place + distance >= ranks) continue;
      reached.push_back(place + distance);
      for (size_t origin = 0; origin < ranks; ++origin) {
        const size_t from = (origin + ranks - place) % ranks, to = (from + ranks - distance) % ranks;
        transfers.push_back({static_cast<int>(from), static_cast<int>(to), static_cast<int>(origin), false});
      }
    }
    have.insert(have.end(), reached.begin(), reached.end());
  }
  return result;
}

Plan plan(const Task& task) {
  Plan result = gather(task.group);
  if (task.kind == Kind::all_gather) return result;
  std::reverse(result.steps.begin(), result.steps.end());
  for (auto& transfers : result.steps) {
    for (Transfer& one : transfers) {
      std::swap(one.from, one.to);
      one.reduce = true;
    }
  }
  return result;
}

FlowPlan flows(const Task& task) { return stepwise(plan(task), task); }

}  // namespace

AlgorithmDef row() {
  return {.name            = "pat",
          .doc             = "all that a rank has moves on by half of the ranks, a quarter, ...; one rank a node",
          .source          = "Jeaugey 2025; NCCL 2.23",
          .kinds           = {Kind::all_gather, Kind::reduce_scatter},
          .supports        = supports,
          .plan            = plan,
          .flows           = flows,
          .is_of_libraries = true};
}

}  // namespace foreflow::collective::definitions::pat
