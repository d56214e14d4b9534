#include "simulate/cast.h"

#include <numeric>

#include "foreflow/stream/timeline.h"

namespace foreflow::simulate {

Cast everybody(const stream::Program& program) {
  Cast cast;
  cast.streams.resize(program.streams.size());
  std::iota(cast.streams.begin(), cast.streams.end(), 0);
  cast.meeting_of.resize(program.instances.size());
  std::iota(cast.meeting_of.begin(), cast.meeting_of.end(), 0);
  cast.meetings.reserve(program.instances.size());
  for (size_t i = 0; i < program.instances.size(); ++i) {
    const stream::Instance& instance = program.instances[i];
    cast.meetings.push_back({static_cast<int32_t>(i), static_cast<int32_t>(instance.members.size()),
                             stream::is_hand_over(program, instance)});
  }
  return cast;
}

}  // namespace foreflow::simulate
