// Recursive halving (reduce-scatter) and recursive doubling (all-gather) of Thakur, Rabenseifner and Gropp (2005), node
// by node, the large halves at distance 1. Powers of two only.
//
//   all-gather, n = 4      step 0: 0>2 0  2>0 2  1>3 1  3>1 3      step 1: 0>1 0,2  1>0 1,3  2>3 0,2  3>2 1,3
#include "collective/exchange.h"
#include "collective/layout.h"

namespace foreflow::collective::definitions::recursive {
namespace {

bool supports(Kind kind, const Group& group) {
  return any_group(kind, group) && (group.ranks & (group.ranks - 1)) == 0;
}

Plan plan(const Task& task) {
  const std::vector<int> order = node_major(task.group);
  Plan result{task.group.ranks, {}};
  if (task.kind == Kind::reduce_scatter) {
    halve(result.steps, order, order);
  } else {
    double_up(result.steps, order, order);
  }
  return result;
}

FlowPlan flows(const Task& task) {
  const std::vector<int> order = node_major(task.group);
  FlowPlan result;
  if (task.kind == Kind::reduce_scatter) {
    halve(result, order, task.group);
  } else {
    double_up(result, order, task.group);
  }
  return result;
}

}  // namespace

AlgorithmDef row() {
  return {"recursive",
          "halving or doubling with the rank at distance 1, 2, 4, ...; ranks must be a power of two",
          "Thakur, Rabenseifner and Gropp 2005",
          {Kind::reduce_scatter, Kind::all_gather},
          supports,
          plan,
          flows};
}

}  // namespace foreflow::collective::definitions::recursive
