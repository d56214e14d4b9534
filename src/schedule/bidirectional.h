// The eight steps that DualPipe and DualPipeV share.
#pragma once

#include <vector>

#include "foreflow/schedule/schedule.h"

namespace foreflow::schedule {

// A device between two ends: `near` is the chunk whose microbatches enter closer to it, `far` the other.
struct Between {
  int reach;     // devices from an end to the middle (or the turn)
  int position;  // of the device, 0 at the end
  int near, far;
};

// The tasks of one device, `microbatches` through each chunk, at least twice as many as `reach` (the paper's numbering
// of the steps): the pipe fills from near (1) and from both sides (2); backwards from far come back (3); forwards and
// backwards of opposite directions overlap as cells (4, 5); the pipe empties, at its end with weight gradients last
// (6, 7, 8).
std::vector<Task> eight_steps(const Between& device, int microbatches);

}  // namespace foreflow::schedule
