// Given when each communication ends, everything else follows: the records of all items.
#pragma once

#include <functional>

#include "foreflow/stream/timeline.h"
#include "simulate/compute_times.h"

namespace foreflow::simulate {

// `end(instance, start)` is asked once for each instance that is no hand-over; `start` is when its last member arrives.
// Flows and links of the result are left to the engine. Throws Error when streams wait for each other.
stream::Timeline replay(const stream::Program& program, const ComputeTimes& times,
                        const std::function<Seconds(size_t instance, Seconds start)>& end);

}  // namespace foreflow::simulate
