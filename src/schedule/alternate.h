// The shape that the 1F1B family shares: some forwards, then one forward and one backward by turns, then the backwards.
#pragma once

#include <vector>

#include "foreflow/schedule/schedule.h"

namespace foreflow::schedule {

// One stage. `warm_up` >= 0 is the number of forwards before the first pair; more than there are is all of them.
std::vector<Task> alternate(int microbatches, int warm_up);

// Most microbatches in flight under `alternate`: the warm-up and the forward of a pair.
int alternate_peak(int microbatches, int warm_up);

}  // namespace foreflow::schedule
