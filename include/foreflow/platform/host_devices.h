// A plan that puts devices into the hosts of a SimGrid file, for files that name no devices themselves.
//
// Example: every host has eight A100, except that hosts whose names begin with "graphene-" have four H100, and those of
// the zone "AS_lyon" have one L4.
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

// The devices of each host whose name matches `pattern`, or that is in a zone whose name matches it. In a pattern, "*"
// stands for any text and "?" for any character.
struct HostDevices {
  std::string pattern;
  DeviceChange device;  // without a sheet: other numbers for the CPU
  int per_host                              = 1;
  bool operator==(const HostDevices&) const = default;
};

// A host takes the first row that matches it. A host that no row matches is a CPU.
using DevicePlan = std::vector<HostDevices>;

// The keys "devices_per_host", "devices" and "cpu", beside "device".
const Keys& host_device_keys();

// Reads the plan from the keys of a platform in a scenario: first the rows of "devices" in their order, then, if any of
// "device", "devices_per_host" and "cpu" is given, a row for all other hosts. Files whose hosts name their devices take
// only the key "device". Throws Error at an unknown key or an illegal value.
DevicePlan read_device_plan(const JsonView& json);

}  // namespace foreflow::platform
