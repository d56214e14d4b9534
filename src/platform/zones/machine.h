// A SimGrid platform with devices in its hosts.
#pragma once

#include <string>

#include "foreflow/platform/host_devices.h"
#include "foreflow/platform/platform.h"
#include "platform/zones/reader.h"

namespace foreflow::platform::zones {

// A host that the plan does not mention is a device itself: a CPU. Throws Error(name, ...) when a part of the plan
// matches no host.
Platform make(Document document, const DevicePlan& plan, const std::string& name);

}  // namespace foreflow::platform::zones
