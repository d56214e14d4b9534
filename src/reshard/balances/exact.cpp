// Branch and bound to the proven optimum, from the ensemble's schedule. For problems that are too large it stops after
// many nodes; the schedule then says how far it may be from the optimum.
#include "foreflow/reshard/strategy.h"
#include "reshard/tree_search.h"

namespace foreflow::reshard::definitions::exact {
namespace {

constexpr int64_t kTimesTheBudget = 250;  // of dfs

Schedule solve(const Problem& problem, const PlanOptions& options) {
  return tree_search(problem, balances().get("ensemble", "exact").solve(problem, options),
                     kTimesTheBudget * options.node_budget);
}

}  // namespace

BalanceDef row() {
  return {"exact", "branch and bound from the ensemble to the proven optimum; large problems leave a gap",
          "active schedules (Giffler and Thompson 1960)", solve};
}

}  // namespace foreflow::reshard::definitions::exact
