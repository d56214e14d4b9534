// Broadcast of long messages (Barnett, van de Geijn et al., 1994): scatter by a binomial tree, then a ring all-gather.
//
//   n = 4    scatter 0>2 2,3    0>1 1  2>3 3     all-gather 0>1 0 1>2 1 2>3 2 3>0 3 ...
#include "collective/binomial.h"
#include "collective/layout.h"
#include "collective/ring.h"
#include "foreflow/base/nth.h"

namespace foreflow::collective::definitions::van_de_geijn {
namespace {

Plan plan(const Task& task) {
  const std::vector<int> order = node_major(task.group);
  const auto rank              = [&](int place) { return nth(order, place); };
  const auto channels          = static_cast<int>(rings(task.group).size());
  Plan result{task.group.ranks * channels, {}};
  for (const auto& branches : binomial_tree(task.group.ranks)) {
    auto& transfers = result.steps.emplace_back();
    for (const Branch& branch : branches) {
      for (int i = 0; i < branch.count * channels; ++i) {
        const int chunk = rank(branch.first + i / channels) * channels + i % channels;
        transfers.push_back({rank(branch.from), rank(branch.to), chunk, false});
      }
    }
  }
  turn_channels(result.steps, task.group, Receiver::replaces);
  return result;
}

FlowPlan flows(const Task& task) {
  const std::vector<int> order = node_major(task.group);
  FlowPlan result;
  for (const auto& branches : binomial_tree(task.group.ranks)) {
    std::vector<Flow> messages;
    for (const Branch& branch : branches) {
      messages.push_back(
          {nth(order, branch.from), nth(order, branch.to), static_cast<double>(branch.count) / task.group.ranks});
    }
    result.phases.push_back(step(task.group, std::move(messages)));
  }
  result.phases.push_back(ring_phase(task.group, 1));
  return result;
}

}  // namespace

AlgorithmDef row() {
  return {"van_de_geijn",
          "scatter by a binomial tree, then a ring all-gather; for long messages",
          "Barnett et al. 1994; Chan et al. 2007",
          {Kind::broadcast},
          any_group,
          plan,
          flows};
}

}  // namespace foreflow::collective::definitions::van_de_geijn
