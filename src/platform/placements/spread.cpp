// node0: 0 2 4 6   node1: 1 3 5 7
#include <algorithm>
#include <map>

#include "foreflow/platform/placement.h"

namespace foreflow::platform::definitions {
namespace {

// Nodes in the order of their first device; one that is full is passed over.
std::vector<int> order(const Platform& platform, std::vector<int> candidates, uint64_t) {
  std::sort(candidates.begin(), candidates.end());
  std::map<std::string_view, size_t> number;  // of each node
  std::vector<std::vector<int>> nodes;
  for (const int device : candidates) {
    const auto [node, fresh] = number.emplace(platform.devices()[static_cast<size_t>(device)].node, nodes.size());
    if (fresh) nodes.emplace_back();
    nodes[node->second].push_back(device);
  }
  std::vector<int> taken;
  for (size_t round = 0; taken.size() < candidates.size(); ++round) {
    for (const std::vector<int>& node : nodes) {
      if (round < node.size()) taken.push_back(node[round]);
    }
  }
  return taken;
}

}  // namespace

PlacementDef spread() { return {"spread", "round robin over the nodes", order}; }

}  // namespace foreflow::platform::definitions
