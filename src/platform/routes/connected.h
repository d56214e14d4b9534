// Checks that every device of a graph can reach every other.
#pragma once

#include <string>
#include <vector>

#include "platform/routes/islands.h"

namespace foreflow::platform {

// Throws Error(name, ...) naming two devices without a route.
void check_connected(const Parts& parts, const List<Device>& devices, const std::string& name);

}  // namespace foreflow::platform
