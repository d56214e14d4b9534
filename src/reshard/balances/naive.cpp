// The order in which the tasks are numbered, each sent by its first holder.
//
//   tasks 0 and 1, both held by hosts 0 and 1:   host 0 |0 1|
//                                                host 1 |   |
#include "foreflow/reshard/strategy.h"

namespace foreflow::reshard::definitions::naive {
namespace {

Schedule solve(const Problem& problem, const PlanOptions& /*options*/) {
  std::vector<Choice> order;
  for (size_t task = 0; task < problem.tasks.size(); ++task) order.push_back({static_cast<int>(task), 0});
  return evaluate(problem, order);
}

}  // namespace

BalanceDef row() {
  return {"naive", "the first holder sends, tasks in the order of their numbers", "\"Naive\" of the paper's figure 8",
          solve};
}

}  // namespace foreflow::reshard::definitions::naive
