// The streams and communications that are simulated: all of a program, or one representative of each class of streams
// that behave identically (fold/fold.h). A meeting is a point at which streams synchronise: an instance of a
// communication, or a class of equal instances.
#pragma once

#include <cstdint>
#include <vector>

#include "foreflow/base/nth.h"
#include "simulate/footprint/footprint.h"

namespace foreflow::simulate {

struct Participants {
  struct Meeting {
    int32_t example;  // the first instance of the class
    int32_t members;  // number of simulated streams that take part
    int32_t signals;  // of a hand-over: the stream that signals and does not wait; otherwise -1
  };

  std::vector<int32_t> streams;     // simulated streams: indices into Program::streams, ascending
  std::vector<Meeting> meetings;    // ascending by `example`
  std::vector<int32_t> meeting_of;  // as `meeting`; empty: each instance is a meeting of its own

  // The index into `meetings` of an instance of the program.
  int32_t meeting(int32_t instance) const { return meeting_of.empty() ? instance : nth(meeting_of, instance); }
};

// Every stream and every instance of the program, unfolded.
Participants all_participants(const stream::Program& program, const Footprints& footprints);

}  // namespace foreflow::simulate
