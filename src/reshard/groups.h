// Tasks of a problem that are equal: the same senders, durations and receivers. Which of them is next never matters, so
// searches choose among groups.
#pragma once

#include <vector>

#include "foreflow/reshard/schedule_problem.h"

namespace foreflow::reshard {

// Groups in order of their first task; the tasks of each ascend.
std::vector<std::vector<int>> groups(const Problem& problem);

}  // namespace foreflow::reshard
