// Recursive halving-doubling (Rabenseifner, 2004): reduce-scatter by halves, then all-gather by doubling. Node by node
// and with distance 1 first, the halves stay in the nodes and only S/G of each rank leaves them. Where the ranks are no
// power of two, an excess rank gives its buffer to its neighbour first and gets the result at last.
//
//   n = 4, which chunks    step 0: 0>1 1,3   1>0 0,2   2>3 1,3   3>2 0,2      step 2: 0>2 0  2>0 2  1>3 1  3>1 3
//                          step 1: 0>2 2     2>0 0     1>3 3     3>1 1        step 3: 0>1 0,2 ...
#include "collective/exchange.h"
#include "collective/layout.h"

namespace foreflow::collective::definitions {
namespace {

Plan plan(const Task& task) {
  const std::vector<int> order = node_major(task.group);
  size_t power                 = 1;
  while (2 * power <= order.size()) power *= 2;
  const size_t excess = order.size() - power;

  std::vector<int> members, chunks;
  Plan result{static_cast<int>(power), {}};
  std::vector<Transfer> fold, unfold;
  for (size_t i = 0; i < power; ++i) {
    chunks.push_back(static_cast<int>(i));
    members.push_back(i < excess ? order[2 * i] : order[i + excess]);
    for (int chunk = 0; i < excess && chunk < result.chunks; ++chunk) {
      fold.push_back({order[2 * i + 1], order[2 * i], chunk, true});
      unfold.push_back({order[2 * i], order[2 * i + 1], chunk, false});
    }
  }
  if (excess > 0) result.steps.push_back(fold);
  halve(result.steps, members, chunks);
  double_up(result.steps, members, chunks);
  if (excess > 0) result.steps.push_back(unfold);
  return result;
}

FlowPlan flows(const Task& task) { return stepwise(plan(task), task); }

}  // namespace

AlgorithmDef halving_doubling() {
  return {"halving_doubling",
          "exchange with the rank at distance 1, 2, 4, ...; optimal bytes and few steps where ranks are a power of two",
          "Rabenseifner 2004; Thakur, Rabenseifner and Gropp 2005",
          {Kind::all_reduce},
          any_group,
          plan,
          flows};
}

}  // namespace foreflow::collective::definitions
