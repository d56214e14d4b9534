#include "foreflow/stream/timeline.h"

#include "foreflow/base/nth.h"

namespace foreflow::stream {

bool is_hand_over(const Program& program, const Instance& instance) {
  const Communication& communication = nth(program.communications, instance.communication);
  if (communication.kind != collective::Kind::send || communication.fixed.value_or(Seconds(0)) > Seconds(0))
    return false;
  const auto device = [&](size_t rank) { return nth(program.streams, instance.members[rank]).device; };
  return instance.members.size() == 2 && device(0) == device(1);
}

}  // namespace foreflow::stream
