// Rings whose hops move at paces of their own (Options::coupling).
#pragma once

#include "foreflow/simulate/options.h"
#include "simulate/footprint.h"

namespace foreflow::simulate {

// Gives phases of `footprints` relays: with `credit` and `stepwise` all that are rings, with `automatic` (to credit)
// those that are uneven and cross a link that a communication of other streams crosses too, which may be at the same
// time. A phase is a ring when its messages are of one size and each rank of it sends and receives once.
void loosen(Footprints& footprints, const stream::Program& program, const platform::Platform& platform,
            Coupling coupling);

}  // namespace foreflow::simulate
