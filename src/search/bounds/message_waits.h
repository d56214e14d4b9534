// Lower bounds of the time that devices wait for the messages of a step.
#pragma once

#include <vector>

#include "search/bounds/staged_step.h"

namespace foreflow::search {

// Per StageDemand::messages: how long its members wait for the message, plus the time by which the chunks of a product
// that is cut for it (`overlap_tensor`) take longer than the whole product.
std::vector<Seconds> message_waits(const StagedStep& step);

// Sets the least times that activations and gradients take from one stage to another, in the costs of all stages. They
// are those of the first replica, because no path through the schedule leaves a replica.
void add_hops(const StagedStep& step, std::vector<schedule::StageCosts>& costs);

}  // namespace foreflow::search
