// Backwards in two halves, the second later.
#pragma once

#include <vector>

#include "foreflow/schedule/schedule.h"

namespace foreflow::schedule {

// The tasks of one device, each backward as its input gradient, and its weight gradient right after the `behind`-th
// next input gradient (0: after its own), at the end where there is none. The tasks are forwards and whole backwards.
std::vector<Task> put_off_weight_grads(const std::vector<Task>& tasks, int behind);

}  // namespace foreflow::schedule
