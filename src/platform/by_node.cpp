#include "foreflow/platform/by_node.h"

#include <unordered_map>

namespace foreflow::platform {

std::vector<std::vector<int>> by_node(const Platform& platform, const std::vector<int>& devices) {
  std::unordered_map<int, size_t> numbers;
  std::vector<std::vector<int>> nodes;
  int before    = -1;
  size_t number = 0;
  for (size_t i = 0; i < devices.size(); ++i) {
    const int node = platform.node(devices[i]);
    // Neighbours in the list mostly share a node.
    if (nodes.empty() || node != before) number = numbers.emplace(node, nodes.size()).first->second;
    if (number == nodes.size()) nodes.emplace_back();
    nodes[number].push_back(static_cast<int>(i));
    before = node;
  }
  return nodes;
}

}  // namespace foreflow::platform
