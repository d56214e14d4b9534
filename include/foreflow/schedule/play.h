// A plan played with toy costs: when everything runs, and the picture of it.
#pragma once

#include <string>
#include <vector>

#include "foreflow/schedule/plan.h"

namespace foreflow::schedule {

// A backward of which each half takes half.
Costs whole_costs(double forward, double backward, double hop = 0);

// Throws Error at `where` unless work is positive and hop is not negative, all finite.
void check_costs(const Costs& costs, const std::string& where);

// What a task takes on a device of the plan.
double task_time(const Plan& plan, const Costs& costs, size_t device, const Task& task);

struct Slot {
  Task task;
  double start, end;
};
// result[device], in the device's order.
using Slots = std::vector<std::vector<Slot>>;

// Devices work in order, and a task starts as soon as its inputs are there. Throws InternalError on a deadlock.
Slots play(const Plan& plan, const Costs& costs);

// How many weight gradients may wait (`waiting` of `delay_weight_gradients`) to cover the latency of hops: the least
// with which the schedule takes no longer than without latency and with whole backwards, or beyond which one more saves
// no time.
int least_delay(const Plan& plan, const Costs& costs);

// The picture: one row a device, one column a unit of time ("F0 F1 .. B0-- ..": dots are idle, dashes continue a task,
// & joins the tasks of a cell). Times that are not whole units get finer or coarser columns, see `column_time`. A row
// is called a stage where a device has one.
std::string draw(const Slots& slots, std::string_view row = "stage");

// The time that one column of `draw` stands for: the greatest common divisor of all times, or half the shortest task,
// to which the picture then rounds, where there is no reasonable divisor. A picture has at most 100000 columns; beyond,
// columns grow and a task that is shorter than a column may lose its cell.
double column_time(const Slots& slots);

}  // namespace foreflow::schedule
