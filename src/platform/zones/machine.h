// A SimGrid platform with devices in its hosts.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "foreflow/platform/platform.h"
#include "platform/zones/reader.h"

namespace foreflow::platform::zones {

// What sits in a host.
struct HostDevices {
  // Of each device; its name, node and rail follow from the host. None: the host itself is the device, a CPU.
  std::optional<Device> sheet = {};
  int count                   = 1;
  // What joins the devices of a host, both ways; used where there are several.
  Link inside = {};
};

// Which hosts have which devices: by zone or by host, whose names match `pattern` ("graphene-*"). The first that
// matches holds.
struct DeviceRule {
  std::string pattern;
  HostDevices devices;
};

// Throws Error(name, ...) when a rule matches no host.
Platform make(Document document, const std::vector<DeviceRule>& rules, const std::string& name);

}  // namespace foreflow::platform::zones
