// Recursive halving-doubling (Rabenseifner, 2004): reduce-scatter by halves, then all-gather by doubling. Node by node
// and with distance 1 first, the halves stay in the nodes and only S/G of each rank leaves them. Where the ranks are no
// power of two, an excess rank gives its buffer to its neighbour first and gets the result at last.
//
//   n = 4, which chunks    step 0: 0>1 1,3   1>0 0,2   2>3 1,3   3>2 0,2      step 2: 0>2 0  2>0 2  1>3 1  3>1 3
//                          step 1: 0>2 2     2>0 0     1>3 3     3>1 1        step 3: 0>1 0,2 ...
#include <numeric>
#include <utility>

#include "collective/exchange.h"
#include "collective/layout.h"

namespace foreflow::collective::definitions::halving_doubling {
namespace {

// A power of two of the ranks, and who gives his buffer to whom of them.
struct Cut {
  std::vector<int> members;
  std::vector<std::pair<int, int>> excess;  // giver, taker
};

Cut cut(const Group& group) {
  const std::vector<int> order = node_major(group);
  size_t power                 = 1;
  while (2 * power <= order.size()) power *= 2;
  const size_t excess = order.size() - power;
  Cut result;
  for (size_t i = 0; i < power; ++i) {
    result.members.push_back(i < excess ? order[2 * i] : order[i + excess]);
    if (i < excess) result.excess.emplace_back(order[2 * i + 1], order[2 * i]);
  }
  return result;
}

Plan plan(const Task& task) {
  const Cut ranks = cut(task.group);
  std::vector<int> chunks(ranks.members.size());
  std::iota(chunks.begin(), chunks.end(), 0);
  Plan result{static_cast<int>(chunks.size()), {}};
  std::vector<Transfer> fold, unfold;
  for (const auto& [giver, taker] : ranks.excess) {
    for (const int chunk : chunks) {
      fold.push_back({giver, taker, chunk, true});
      unfold.push_back({taker, giver, chunk, false});
    }
  }
  if (!fold.empty()) result.steps.push_back(fold);
  halve(result.steps, ranks.members, chunks);
  double_up(result.steps, ranks.members, chunks);
  if (!unfold.empty()) result.steps.push_back(unfold);
  return result;
}

FlowPlan flows(const Task& task) {
  const Cut ranks = cut(task.group);
  std::vector<Flow> fold, unfold;
  for (const auto& [giver, taker] : ranks.excess) {
    fold.push_back({giver, taker, 1});
    unfold.push_back({taker, giver, 1});
  }
  FlowPlan result;
  if (!fold.empty()) result.phases.push_back(step(task.group, std::move(fold)));
  halve(result, ranks.members, task.group);
  double_up(result, ranks.members, task.group);
  if (!unfold.empty()) result.phases.push_back(step(task.group, std::move(unfold)));
  return result;
}

}  // namespace

AlgorithmDef row() {
  return {"halving_doubling",
          "exchange with the rank at distance 1, 2, 4, ...; optimal bytes and few steps where ranks are a power of two",
          "Rabenseifner 2004; Thakur, Rabenseifner and Gropp 2005",
          {Kind::all_reduce},
          any_group,
          plan,
          flows};
}

}  // namespace foreflow::collective::definitions::halving_doubling
