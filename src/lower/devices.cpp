#include "lower/devices.h"

#include "foreflow/base/nth.h"

namespace foreflow::lower {
namespace {

using MixedInstance = interpret::Instance<interpret::Mixed>;

void collect(const ir::Type& type, std::set<ir::Device>& devices) {
  devices.insert(type.device);
  for (const ir::Type& element : type.elements) collect(element, devices);
}

// Large functions repeat few values, so equal ones are looked at once.
std::set<ir::Device> devices_of_values(const MixedInstance& instance) {
  std::set<ir::Device> devices;
  std::vector<bool> seen;
  for (size_t i = 0; i < instance.values.size(); ++i) {
    const uint32_t number = instance.values.number(i);
    if (number >= seen.size()) seen.resize(2 * size_t{number} + 1);
    if (seen[number]) continue;
    seen[number] = true;
    collect(instance.values[i].type, devices);
  }
  return devices;
}

}  // namespace

const std::set<ir::Device>& Devices::of(int32_t number) {
  if (const auto known = known_.find(number); known != known_.end()) return known->second;
  const MixedInstance& instance = nth(interpretation_.instances, number);
  std::set<ir::Device> devices  = devices_of_values(instance);
  std::set<std::pair<int32_t, interpret::DeviceMap>> calls;
  for (size_t o = 0; o < instance.callee.size(); ++o) {
    const interpret::DeviceMap& map = instance.maps[o];
    if (instance.callee[o] < 0 || !calls.emplace(instance.callee[o], map).second) continue;
    for (const ir::Device& device : of(instance.callee[o])) {
      if (device.placed()) devices.insert(map.empty() ? device : interpret::renamed(device, map));
    }
  }
  return known_.emplace(number, std::move(devices)).first->second;
}

}  // namespace foreflow::lower
