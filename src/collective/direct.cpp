// Direct: every pair that has something to say exchanges one message, all at once. One latency, and as many bytes at
// each port as any algorithm must move; the price are many small messages at the same time.
//
//   reduce-scatter, n = 3:   0 -> 1 [1]  0 -> 2 [2]  1 -> 0 [0]  1 -> 2 [2]  2 -> 0 [0]  2 -> 1 [1]   each is added
#include "collective/layout.h"

namespace foreflow::collective::definitions::direct {
namespace {

Plan plan(const Task& task) {
  const int ranks     = task.group.ranks;
  const KindDef& kind = def_of(task.kind);
  Plan result{kind.chunks(ranks), {{}}};
  for (int from = 0; from < ranks; ++from) {
    for (int to = 0; to < ranks; ++to) {
      const int what = from == to ? -1 : kind.message(ranks, from, to);
      if (what >= 0) result.steps.front().push_back({from, to, what, kind.adds});
    }
  }
  return result;
}

FlowPlan flows(const Task& task) { return stepwise(plan(task), task); }

std::vector<Kind> completed_by_a_message() {
  std::vector<Kind> result;
  for (const KindDef& def : kinds()) {
    if (def.message != nullptr) result.push_back(def.kind);
  }
  return result;
}

}  // namespace

AlgorithmDef row() {
  return {.name            = "direct",
          .doc             = "one message from each rank to each rank that needs it, all at once",
          .source          = "linear algorithms of Chan et al. 2007",
          .kinds           = completed_by_a_message(),
          .supports        = any_group,
          .plan            = plan,
          .flows           = flows,
          .all_pairs_steps = [](int) { return 1; }};
}

}  // namespace foreflow::collective::definitions::direct
