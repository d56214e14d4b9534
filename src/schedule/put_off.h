// Splits backwards into two halves and delays the second.
#pragma once

#include <vector>

#include "foreflow/schedule/schedule.h"

namespace foreflow::schedule {

// Splits each backward in `tasks` into its input gradient and its weight gradient, which follows the `behind`-th next
// input gradient (0: its own), or comes at the end when there are fewer. Requires: all tasks are forwards and whole
// backwards.
std::vector<Task> put_off_weight_grads(const std::vector<Task>& tasks, int behind);

}  // namespace foreflow::schedule
