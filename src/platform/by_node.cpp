#include "foreflow/platform/by_node.h"

#include <string_view>
#include <unordered_map>

namespace foreflow::platform {

std::vector<std::vector<int>> by_node(const Platform& platform, const std::vector<int>& devices) {
  std::unordered_map<std::string_view, size_t> numbers;
  std::vector<std::vector<int>> nodes;
  std::string_view before;
  size_t number = 0;
  for (size_t i = 0; i < devices.size(); ++i) {
    const std::string_view node = platform.devices()[static_cast<size_t>(devices[i])].node;
    // Neighbours in the list mostly share a node.
    if (nodes.empty() || node != before) number = numbers.emplace(node, nodes.size()).first->second;
    if (number == nodes.size()) nodes.emplace_back();
    nodes[number].push_back(static_cast<int>(i));
    before = node;
  }
  return nodes;
}

}  // namespace foreflow::platform
