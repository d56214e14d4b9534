#include "foreflow/stream/timeline.h"

namespace foreflow::stream {

bool is_hand_over(const Program& program, const Instance& instance) {
  const Communication& communication = program.communications[static_cast<size_t>(instance.communication)];
  if (communication.kind != collective::Kind::send || communication.fixed.value_or(Seconds(0)) > Seconds(0))
    return false;
  const auto device = [&](size_t rank) { return program.streams[static_cast<size_t>(instance.members[rank])].device; };
  return instance.members.size() == 2 && device(0) == device(1);
}

}  // namespace foreflow::stream
