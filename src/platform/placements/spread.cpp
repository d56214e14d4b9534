// node0: 0 2 4 6   node1: 1 3 5 7
#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/platform/by_node.h"
#include "foreflow/platform/placement.h"

namespace foreflow::platform::definitions::spread {
namespace {

// Nodes in the order of their first device; one that is full is passed over.
std::vector<int> order(const Platform& platform, std::vector<int> candidates, uint64_t) {
  std::sort(candidates.begin(), candidates.end());
  const std::vector<std::vector<int>> nodes = by_node(platform, candidates);
  std::vector<int> taken;
  for (size_t round = 0; taken.size() < candidates.size(); ++round) {
    for (const std::vector<int>& node : nodes) {
      if (round < node.size()) taken.push_back(nth(candidates, node[round]));
    }
  }
  return taken;
}

}  // namespace

PlacementDef row() { return {"spread", "round robin over the nodes", order}; }

}  // namespace foreflow::platform::definitions::spread
