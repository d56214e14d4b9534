#include "simulate/streams/participants.h"

#include <numeric>

namespace foreflow::simulate {

Participants all_participants(const stream::Program& program, const Footprints& footprints) {
  Participants participants;
  participants.streams.resize(program.streams.size());
  std::iota(participants.streams.begin(), participants.streams.end(), 0);
  participants.meetings.reserve(program.instances.size());
  for (size_t i = 0; i < program.instances.size(); ++i) {
    const auto& members  = program.instances[i].members;
    const bool hand_over = footprints.of_instance[i] < 0;
    participants.meetings.push_back(
        {static_cast<int32_t>(i), static_cast<int32_t>(members.size()), hand_over ? members.front() : -1});
  }
  return participants;
}

}  // namespace foreflow::simulate
