// Pairwise exchange (Thakur, Rabenseifner and Gropp, 2005): in step s every rank sends to the one s places after it.
//
//   n = 4    step 1          step 2          step 3
//            0>1 1>2 2>3 3>0  0>2 1>3 2>0 3>1  0>3 1>0 2>1 3>2
#include "collective/layout.h"

namespace foreflow::collective::definitions::pairwise {
namespace {

Plan plan(const Task& task) {
  const auto ranks             = static_cast<size_t>(task.group.ranks);
  const std::vector<int> order = node_major(task.group);
  Plan result{task.group.ranks * task.group.ranks, {}};
  for (size_t distance = 1; distance < ranks; ++distance) {
    auto& transfers = result.steps.emplace_back();
    for (size_t i = 0; i < ranks; ++i) {
      const int from = order[i], to = order[(i + distance) % ranks];
      transfers.push_back({from, to, from * task.group.ranks + to, false});
    }
  }
  return result;
}

// No step waits for data of another one, so the ports never rest: one phase, whose ports carry what all steps need.
FlowPlan flows(const Task& task) {
  FlowPlan steps = stepwise(plan(task), task);
  Phase all;
  for (const Phase& step : steps.phases) {
    all.near_steps += step.near_steps;
    all.far_steps += step.far_steps;
    all.flows.insert(all.flows.end(), step.flows.begin(), step.flows.end());
  }
  return {{std::move(all)}};
}

}  // namespace

AlgorithmDef row() {
  return {.name            = "pairwise",
          .doc             = "each rank sends to the one s places after it in step s",
          .source          = "Thakur, Rabenseifner and Gropp 2005",
          .kinds           = {Kind::all_to_all},
          .supports        = any_group,
          .plan            = plan,
          .flows           = flows,
          .all_pairs_steps = [](int ranks) { return ranks - 1; }};
}

}  // namespace foreflow::collective::definitions::pairwise
