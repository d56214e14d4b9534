// A pipeline of two stages whose boundary is resharded by plans: the setting of the end-to-end figures of "On
// Optimizing the Communication of Model Parallelism". Devices compute for given times; what crosses the boundary are
// real flows.
#pragma once

#include <array>

#include "foreflow/platform/platform.h"
#include "foreflow/reshard/plan.h"
#include "foreflow/schedule/schedule.h"

namespace foreflow::reproduce {

// How a transfer and the computes of its devices exclude each other.
enum class Overlap {
  none,  // a transfer occupies the devices of both stages, as in Alpa
  full,  // activations and gradients have streams of their own, in which they follow each other
};

struct TwoStages {
  std::string_view schedule;  // a row of schedule::schedules() with one chunk
  int microbatches = 1;
  // The times of one microbatch on every device of a stage.
  std::array<Seconds, 2> forward, backward;
  std::array<std::vector<int>, 2> devices;  // of each stage: indices into platform.devices()
  reshard::Plan activations, gradients;     // from the first stage to the second, and back
  Overlap overlap = Overlap::full;
};

// From the start of the first forward to the end of the last backward.
Seconds time_of(const TwoStages& pipeline, const platform::Platform& platform);

}  // namespace foreflow::reproduce
