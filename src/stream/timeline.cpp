#include "foreflow/stream/timeline.h"

namespace foreflow::stream {

int64_t DeviceUse::count() const {
  int64_t count = alike.empty() ? 1 : 0;
  for (const DeviceRange& range : alike) count += range.count();
  return count;
}

int64_t device_count(const Program& program) {
  int64_t count = 0;
  for (const DeviceUse& device : program.devices) count += device.count();
  return count;
}

bool is_hand_over(const Program& program, const Instance& instance) {
  const Communication& communication = program.communications[static_cast<size_t>(instance.communication)];
  if (communication.kind != collective::Kind::send || communication.fixed.value_or(Seconds(0)) > Seconds(0))
    return false;
  const auto device = [&](size_t rank) { return program.streams[static_cast<size_t>(instance.members[rank])].device; };
  return instance.members.size() == 2 && device(0) == device(1);
}

}  // namespace foreflow::stream
