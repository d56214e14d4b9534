// Longest task first, to the sender that then has the least load (LPT, Graham 1969). Only the load of senders counts
// (equation 4 of the paper), so receivers may have to wait.
//
//   loads 3 2 2 1, two senders:   sender 0 |3 3 3|1|
//                                 sender 1 |2 2|2 2|
#include <algorithm>
#include <numeric>

#include "foreflow/base/nth.h"
#include "foreflow/reshard/strategy.h"

namespace foreflow::reshard::definitions::load_balance {
namespace {

Seconds longest(const ProblemTask& task) {
  return std::max_element(task.senders.begin(), task.senders.end(),
                          [](const Candidate& a, const Candidate& b) { return a.duration < b.duration; })
      ->duration;
}

Schedule solve(const Problem& problem, const PlanOptions& /*options*/) {
  std::vector<int> tasks(problem.tasks.size());
  std::iota(tasks.begin(), tasks.end(), 0);
  std::stable_sort(tasks.begin(), tasks.end(),
                   [&](int a, int b) { return longest(nth(problem.tasks, a)) > longest(nth(problem.tasks, b)); });
  std::vector<Seconds> load(static_cast<size_t>(problem.ports));
  std::vector<Choice> order;
  for (const int task : tasks) {
    const auto& senders = nth(problem.tasks, task).senders;
    const auto after    = [&](const Candidate& one) { return nth(load, one.sender) + one.duration; };
    const auto lightest = std::min_element(senders.begin(), senders.end(),
                                           [&](const Candidate& a, const Candidate& b) { return after(a) < after(b); });
    nth(load, lightest->sender) += lightest->duration;
    order.push_back({task, static_cast<int>(lightest - senders.begin())});
  }
  return evaluate(problem, order);
}

}  // namespace

BalanceDef row() {
  return {"load_balance", "longest task first, sent by the holder with the least load; receivers are not regarded",
          "arXiv 2211.05322, figure 8: \"load balance only\"; LPT, Graham 1969", solve};
}

}  // namespace foreflow::reshard::definitions::load_balance
