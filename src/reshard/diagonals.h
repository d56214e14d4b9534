// An order for problems that are too large for random ones.
#pragma once

#include <vector>

#include "foreflow/reshard/schedule_problem.h"

namespace foreflow::reshard {

// Each task to the candidate with the least load so far; then the tasks whose receiver is as many places behind its
// sender, in turn: those of one such diagonal have no port in common. Of a task with several receivers the first
// counts. Senders and receivers are numbered in ascending order. Where all senders send equal tasks to all receivers,
// no order is better:
//
//            receiver 0  1  2
//   sender 0          0  1  2     the round in which each sends
//   sender 1          2  0  1
//   sender 2          1  2  0
std::vector<Choice> by_diagonals(const Problem& problem);

}  // namespace foreflow::reshard
