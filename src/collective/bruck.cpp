// Bruck et al. (1997): in step j every rank sends to the one 2^j places after it all that still has 2^j of its way
// before it. ceil(lg n) latencies, but what goes far is sent several times.
//
//   n = 3, distances on their way    step 0, to the next: 1     step 1, to the next but one: 2     (3 = 1 + 2 in both)
#include "collective/layout.h"

namespace foreflow::collective::definitions::bruck {
namespace {

Plan plan(const Task& task) {
  const std::vector<int> order = node_major(task.group);
  const size_t ranks           = order.size();
  Plan result{task.group.ranks * task.group.ranks, {}};
  for (size_t bit = 1; bit < ranks; bit *= 2) {
    auto& transfers = result.steps.emplace_back();
    for (size_t origin = 0; origin < ranks; ++origin) {
      for (size_t distance = 0; distance < ranks; ++distance) {
        if ((distance & bit) == 0) continue;
        const size_t from = (origin + distance % bit) % ranks;
        transfers.push_back({order[from], order[(from + bit) % ranks],
                             order[origin] * task.group.ranks + order[(origin + distance) % ranks], false});
      }
    }
  }
  return result;
}

FlowPlan flows(const Task& task) {
  const std::vector<int> order = node_major(task.group);
  const size_t ranks           = order.size();
  FlowPlan result;
  for (size_t bit = 1; bit < ranks; bit *= 2) {
    size_t sent = 0;  // of the n blocks of a rank
    for (size_t distance = 0; distance < ranks; ++distance) sent += (distance & bit) != 0 ? 1 : 0;
    std::vector<Flow> messages;
    for (size_t i = 0; i < ranks; ++i)
      messages.push_back({order[i], order[(i + bit) % ranks], static_cast<double>(sent) / task.group.ranks});
    result.phases.push_back(step(task.group, std::move(messages)));
  }
  return result;
}

}  // namespace

AlgorithmDef row() {
  return {"bruck",
          "all that still has 2^j of its way before it moves on by 2^j in step j; for short messages",
          "Bruck et al. 1997",
          {Kind::all_to_all},
          any_group,
          plan,
          flows};
}

}  // namespace foreflow::collective::definitions::bruck
