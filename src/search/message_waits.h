// Lower bounds of the time that devices wait for the messages of a step.
#pragma once

#include <vector>

#include "search/staged_step.h"

namespace foreflow::search {

// Per StageDemand::messages: how long its members wait, with what chunks of products take more than the whole product.
std::vector<Seconds> message_waits(const StagedStep& step);

// The time after which an activation or a gradient is on the device of the next stage at least, whichever stage that
// is. That of the first replica, as no path through the schedule leaves it.
Seconds least_hop(const StagedStep& step);

}  // namespace foreflow::search
