// Which devices share a server.
#pragma once

#include <vector>

#include "foreflow/platform/platform.h"

namespace foreflow::platform {

// The positions in `devices` (indices into platform.devices()) by Device::node: the nodes by first appearance, each in
// the order of `devices`.
std::vector<std::vector<int>> by_node(const Platform& platform, const std::vector<int>& devices);

}  // namespace foreflow::platform
