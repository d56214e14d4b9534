// Rings whose hops move at paces of their own (Options::coupling).
#pragma once

#include <vector>

#include "foreflow/simulate/options.h"
#include "simulate/footprint.h"

namespace foreflow::simulate {

// Gives phases of `footprints` relays: with `credit` and `stepwise` all that are rings, with `automatic` (to credit)
// those that are a single ring that is uneven or crosses one of the `changing` links, and crosses a link that a
// communication of other streams crosses too, which may be at the same time. A phase is rings when its messages are of
// one size and each rank of it sends and receives once (a ring in each node), or when its messages are those of all
// channels of the group; each ring then moves for itself, and the phase ends with the last.
void loosen(Footprints& footprints, const stream::Program& program, const platform::Platform& platform,
            Coupling coupling, const std::vector<int>& changing = {});

}  // namespace foreflow::simulate
