// The shape that the 1F1B family shares: some forwards, then one forward and one backward by turns, then the backwards.
#pragma once

#include <vector>

#include "foreflow/schedule/schedule.h"

namespace foreflow::schedule {

// The tasks of one stage. `warm_up` >= 0 is the number of forwards before the first pair, at most all of them.
std::vector<Task> alternate(int microbatches, int warm_up);

// The most microbatches in flight under `alternate`: those of the warm-up and one more.
int alternate_peak(int microbatches, int warm_up);

}  // namespace foreflow::schedule
