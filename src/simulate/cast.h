// Who takes part in a simulation: all streams of a program, or one of each class of streams that do the same at the
// same times (fold.h). Where streams meet is a meeting: an instance, or a class of instances.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/footprint.h"

namespace foreflow::simulate {

struct Cast {
  struct Meeting {
    int32_t example;  // the first of its instances
    int32_t members;  // how many of `streams` come
    int32_t signals;  // of a hand-over: the stream that does not wait; otherwise -1
  };

  std::vector<int32_t> streams;     // the numbers of those that are simulated, ascending
  std::vector<Meeting> meetings;    // by example
  std::vector<int32_t> meeting_of;  // of each of Program::instances
};

// Everybody.
Cast everybody(const stream::Program& program, const Footprints& footprints);

}  // namespace foreflow::simulate
