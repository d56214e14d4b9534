#include "simulate/cast.h"

#include <numeric>

namespace foreflow::simulate {

Cast everybody(const stream::Program& program, const Footprints& footprints) {
  Cast cast;
  cast.streams.resize(program.streams.size());
  std::iota(cast.streams.begin(), cast.streams.end(), 0);
  cast.meeting_of.resize(program.instances.size());
  std::iota(cast.meeting_of.begin(), cast.meeting_of.end(), 0);
  cast.meetings.reserve(program.instances.size());
  for (size_t i = 0; i < program.instances.size(); ++i) {
    const auto& members  = program.instances[i].members;
    const bool hand_over = footprints.of_instance[i] < 0;
    cast.meetings.push_back(
        {static_cast<int32_t>(i), static_cast<int32_t>(members.size()), hand_over ? members.front() : -1});
  }
  return cast;
}

}  // namespace foreflow::simulate
