// Binomial tree: the ranks that have it serve others, twice as many in every step; a broadcast or scatter runs outwards
// from the root, a reduction or gather inwards. Node by node with far distances first, so nodes are served first.
//
//   n = 6    step 0: 0>4        step 1: 0>2  (4>6)     step 2: 0>1  2>3  4>5
#include "collective/binomial.h"

#include <algorithm>

#include "collective/layout.h"
#include "foreflow/base/nth.h"

namespace foreflow::collective {

std::vector<std::vector<Branch>> binomial_tree(int places) {
  std::vector<std::vector<Branch>> steps;
  int distance = 1;
  while (2 * distance < places) distance *= 2;
  for (; distance > 0; distance /= 2) {
    auto& step = steps.emplace_back();
    for (int from = 0; from + distance < places; from += 2 * distance)
      step.push_back({from, from + distance, from + distance, std::min(distance, places - from - distance)});
  }
  return steps;
}

namespace definitions::binomial {
namespace {

bool whole(Kind kind) { return kind == Kind::broadcast || kind == Kind::reduce; }
bool inwards(Kind kind) { return kind == Kind::reduce || kind == Kind::gather; }

Plan plan(const Task& task) {
  const std::vector<int> order = node_major(task.group);
  const auto rank              = [&](int place) { return nth(order, place); };
  Plan result{whole(task.kind) ? 1 : task.group.ranks, {}};
  for (const auto& branches : binomial_tree(task.group.ranks)) {
    auto& transfers = result.steps.emplace_back();
    for (const Branch& branch : branches) {
      const int from = rank(inwards(task.kind) ? branch.to : branch.from);
      const int to   = rank(inwards(task.kind) ? branch.from : branch.to);
      for (int i = 0; i < (whole(task.kind) ? 1 : branch.count); ++i) {
        const int chunk = whole(task.kind) ? 0 : rank(branch.first + i);
        transfers.push_back({from, to, chunk, task.kind == Kind::reduce});
      }
    }
  }
  if (inwards(task.kind)) std::reverse(result.steps.begin(), result.steps.end());
  return result;
}

FlowPlan flows(const Task& task) { return stepwise(plan(task), task); }

}  // namespace

AlgorithmDef row() {
  return {"binomial",
          "a tree in which twice as many ranks are served in every step",
          "Chan et al. 2007; Thakur, Rabenseifner and Gropp 2005",
          {Kind::broadcast, Kind::reduce, Kind::gather, Kind::scatter},
          any_group,
          plan,
          flows};
}

}  // namespace definitions::binomial
}  // namespace foreflow::collective
