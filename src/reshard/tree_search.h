// Branch and bound over the order of tasks and their senders.
#pragma once

#include <cstdint>

#include "foreflow/reshard/schedule_problem.h"

namespace foreflow::reshard {

// The best schedule found after at most `nodes` nodes; `start` if none is shorter. It is proven when the tree was
// searched to its end, or when it meets the lower bound.
//
// A node appends a task with a sender to the order. Without losing every optimal schedule it is only tried if
//   1. the task starts no earlier than the last one did, or at the same time and has a higher group number: of the
//      orders that mean the same schedule, only the one by starting times is tried;
//   2. it starts before another task could end: else that task could be put before it at no cost (active schedules,
//      Giffler and Thompson 1960);
//   3. it is the first one left of equal tasks.
// A node is cut when one of these bounds is not below the best schedule: the end of a receiver and all that it has yet
// to receive; the end of a sender and all that only it can send; the mean over senders of their ends and all that is
// left to send.
Schedule tree_search(const Problem& problem, const Schedule& start, int64_t nodes);

}  // namespace foreflow::reshard
