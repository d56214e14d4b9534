// Every receiver gets every box that it needs from a holder by a message of its own.
#pragma once

#include "foreflow/reshard/plan.h"

namespace foreflow::reshard {

// In the order of the public code: by target tile, then receiver, then source tile; the holder that has sent the fewest
// bytes sends. Devices follow their lists one message at a time, and messages of different devices share ports.
std::vector<Job> direct_jobs(const UnitTasks& units);

}  // namespace foreflow::reshard
