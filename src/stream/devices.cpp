// The devices of a program, each of which may represent several.
#include "foreflow/base/nth.h"
#include "foreflow/stream/program.h"

namespace foreflow::stream {

std::vector<DeviceRange> numbers(const DeviceUse& device) {
  if (device.members.empty()) return {{device.index, device.index}};
  return device.members;
}

int64_t DeviceUse::count() const {
  int64_t count = members.empty() ? 1 : 0;
  for (const DeviceRange& range : members) count += range.count();
  return count;
}

int64_t device_count(const Program& program) {
  int64_t count = 0;
  for (const DeviceUse& device : program.devices) count += device.count();
  return count;
}

int place_of(const Program& program, const DeviceUse& device, int32_t number) {
  if (number == device.index) return device.place;
  const int32_t rank = number - program.first_device;
  return program.places.empty() ? rank : nth(program.places, rank);
}

}  // namespace foreflow::stream
