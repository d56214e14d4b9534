// A message over several rails: parts of it take the way through other devices of both nodes, each with a NIC of its
// own (NCCL: PXN). The message is cut into slices, so that all three legs work at once.
//
//   3 stripes    0 -> 1      0 -> a -> a' -> 1      0 -> b -> b' -> 1      a, b beside 0; a', b' beside 1
#include "collective/layout.h"

namespace foreflow::collective::definitions::striped {
namespace {

bool supports(Kind kind, const Group& group) { return any_group(kind, group) && group.relays > 0; }

Plan plan(const Task& task) {
  const int pairs = task.group.relays / 2;
  Plan result{pairs + 1, {{}, {{0, 1, 0, false}}, {}}};
  for (int i = 0; i < pairs; ++i) {
    const int here = task.group.ranks + 2 * i, there = here + 1;
    result.steps[0].push_back({0, here, i + 1, false});
    result.steps[1].push_back({here, there, i + 1, false});
    result.steps[2].push_back({there, 1, i + 1, false});
  }
  return result;
}

FlowPlan flows(const Task& task) {
  const Plan stripes = plan(task);
  Phase phase{2, 1, {}, 0};
  for (const auto& transfers : stripes.steps) {
    for (const Transfer& one : transfers) phase.flows.push_back({one.from, one.to, 1.0 / stripes.chunks});
  }
  return {{std::move(phase)}};
}

}  // namespace

AlgorithmDef row() {
  return {"striped",
          "a message over all rails of its nodes, through the devices beside its ends",
          "NCCL 2.12 (PXN)",
          {Kind::send},
          supports,
          plan,
          flows,
          true};
}

}  // namespace foreflow::collective::definitions::striped
