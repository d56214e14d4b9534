// Devices for the hosts of a SimGrid file that names none.
//
//   "device": "A100-SXM4-80GB", "devices_per_host": 8
//   "devices": {"graphene-*": {"device": "H100-SXM5-80GB", "devices_per_host": 4}, "AS_lyon": {"device": "L4"}}
#pragma once

#include <string>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/base/key.h"
#include "foreflow/platform/data_sheet.h"

namespace foreflow::platform {

// Devices of hosts whose name, or the name of a zone around them, matches the pattern: "*" is any text, "?" any
// character.
struct HostDevices {
  std::string pattern;
  DeviceChange device;  // without a sheet: other numbers for the CPU
  int per_host                              = 1;
  bool operator==(const HostDevices&) const = default;
};

// The first that matches a host holds; hosts that none matches are CPUs.
using DevicePlan = std::vector<HostDevices>;

// The keys "devices_per_host", "devices" and "cpu", beside "device".
const Keys& host_device_keys();

// What the keys of a platform file say. Only "device" alone is for files of other forms, too. Throws Error.
DevicePlan read_device_plan(const JsonView& json);

}  // namespace foreflow::platform
