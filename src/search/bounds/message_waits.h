// Lower bounds of the time that devices wait for the messages of a step.
#pragma once

#include <vector>

#include "search/bounds/staged_step.h"

namespace foreflow::search {

// Per StageDemand::messages: how long its members wait for the message, plus the time by which the chunks of a product
// that is cut for it (`overlap_tensor`) take longer than the whole product.
std::vector<Seconds> message_waits(const StagedStep& step);

// The least time that an activation or a gradient takes from one stage to the next, over all stages. It is that of the
// first replica, because no path through the schedule leaves a replica.
Seconds least_hop(const StagedStep& step);

}  // namespace foreflow::search
