// Depth-first search with pruning, for a number of nodes. The bound of the public code is no lower bound, since it
// gives the tasks that are left to senders greedily; ours is one (reshard/tree_search.h).
#include "foreflow/reshard/strategy.h"
#include "reshard/tree_search.h"

namespace foreflow::reshard::definitions::dfs {
namespace {

Schedule solve(const Problem& problem, const PlanOptions& options) {
  return tree_search(problem, balances().get("load_balance", "dfs").solve(problem, options), options.node_budget);
}

}  // namespace

BalanceDef row() {
  return {"dfs", "depth-first search with a lower bound, from load_balance, for a number of nodes",
          "DFS with pruning of the paper, section 4.2; its budget is a second", solve};
}

}  // namespace foreflow::reshard::definitions::dfs
