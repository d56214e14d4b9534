// In-switch all-reduce (NVLink SHARP): rank r reads the sum of part r, which the switch adds up from all ranks, and the
// switch sends the result to all. A port carries S to the switch for the sums of all and S/n of its own sum, and as
// much back: S (1 + 1/n) each way, against 2 S (n-1)/n of a ring.
//
//   n = 3    step 0, added in the switch: 1>0 0  2>0 0   0>1 1  2>1 1   0>2 2  1>2 2      step 1: all parts to all
//
// For links and ports this is a ring of flows with the share of the switch algorithm.
#include "collective/layout.h"

namespace foreflow::collective::definitions::nvls {
namespace {

bool supports(Kind kind, const Group& group) {
  return any_group(kind, group) && group.nvls && nodes(group).size() == 1;
}

Plan plan(const Task& task) { return part_by_part(task.group.ranks); }

FlowPlan flows(const Task& task) {
  const std::vector<int> order = node_major(task.group);
  Phase phase{2, 0, {}, 0};
  for (size_t i = 0; i < order.size(); ++i)
    phase.flows.push_back({order[i], order[(i + 1) % order.size()], 1 + 1.0 / task.group.ranks});
  return {{std::move(phase)}};
}

}  // namespace

AlgorithmDef row() {
  return {"nvls",
          "the NVLink switches of one node add and multicast",
          "NVLink SHARP; NCCL issue 1506",
          {Kind::all_reduce},
          supports,
          plan,
          flows,
          false,
          true};
}

}  // namespace foreflow::collective::definitions::nvls
