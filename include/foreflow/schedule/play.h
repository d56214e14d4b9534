// Executes a plan with given task times, without tensors or a network: when every task runs, and a picture of it.
#pragma once

#include <string>
#include <vector>

#include "foreflow/schedule/plan.h"

namespace foreflow::schedule {

// Costs whose input and weight gradients each take half of `backward`.
Costs whole_costs(double forward, double backward, double hop = 0);

// Throws Error at `where` unless the times of tasks are positive, hop is not negative, and none is above 1e100, so that
// no sum of them overflows.
void check_costs(const Costs& costs, const std::string& where);

// The time of a task on a device of the plan.
double task_time(const Plan& plan, const Costs& costs, size_t device, const Task& task);

struct Slot {
  Task task;
  double start, end;
};
// result[device], in the device's order.
using Slots = std::vector<std::vector<Slot>>;

// Each device runs its tasks in order; a task starts when its device is free and its inputs have arrived. Throws
// InternalError on a deadlock.
Slots play(const Plan& plan, const Costs& costs);

// The smallest `waiting` of delay_weight_gradients that hides the latency of hops: the schedule either
//   1. takes no longer than with whole backwards and no latency, or
//   2. would gain nothing from one more waiting weight gradient.
int least_delay(const Plan& plan, const Costs& costs);

// The picture: one row per device, one column per unit of time. In "F0 F1 .. B0-- .." dots are idle time, dashes
// continue a task, and & joins tasks that run as one. Other times have finer or coarser columns, see column_time. `row`
// is the heading of a row: "stage", or "device" where a device has several.
std::string draw(const Slots& slots, std::string_view row = "stage");

// The time that one column of `draw` stands for: the greatest common divisor of all times if it is not too small, else
// half the shortest task, to which the picture rounds. A picture has at most 100000 columns; longer ones get wider
// columns, in which a task shorter than a column may disappear.
double column_time(const Slots& slots);

// The number of characters of `draw` if every device were busy to the end, besides the names of the rows: it tells a
// picture that is too large before it is made.
double picture_size(const Slots& slots);

}  // namespace foreflow::schedule
