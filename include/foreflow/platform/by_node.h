// Groups devices by server.
#pragma once

#include <vector>

#include "foreflow/platform/platform.h"

namespace foreflow::platform {

// Groups `devices` (indices into platform.devices()) by Device::node. Returns positions in `devices`; nodes are in
// order of first appearance, and positions within a node ascend.
//
// Example: devices that are in nodes a, b, a give {{0, 2}, {1}}.
std::vector<std::vector<int>> by_node(const Platform& platform, const std::vector<int>& devices);

}  // namespace foreflow::platform
