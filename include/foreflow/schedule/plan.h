// A schedule at a size: the order of every device, with what is needed to know who waits for whom.
#pragma once

#include <vector>

#include "foreflow/schedule/schedule.h"

namespace foreflow::schedule {

struct Plan {
  Size size;
  Placement placement = Placement::looped;
  Order order;  // a device each

  int stages() const { return schedule::stages(placement, size); }
  int stage_of(int device, int chunk) const { return schedule::stage_of(placement, size, device, chunk); }
  int pipes() const { return placement == Placement::mirrored ? 2 : 1; }
  int pipe_of(int chunk) const { return placement == Placement::mirrored ? chunk : 0; }
  // Microbatches that go through a pipe: with two pipes half of them each, the odd one down.
  int microbatches_of(int pipe) const;
  // Which of the K parts of the batch a task works on: the down pipe has the first half, the up pipe the rest.
  int part(const Task& task) const;
};

// `size` from `checked_size`.
Plan plan(const ScheduleDef& schedule, const Size& size);

// For inference: the forward tasks.
Plan forward_only(Plan plan);

// What the tasks of one virtual stage take.
struct StageCosts {
  double forward, input_grad, weight_grad;
};

// In any unit of time. What one microbatch takes on one device, whatever the number of its chunks: with v chunks of the
// model on a device, a task of one chunk takes a v-th. (Two pipes are two models; their tasks take the full cost.)
struct Costs {
  double forward     = 1;
  double input_grad  = 1;
  double weight_grad = 1;
  double hop         = 0;  // latency of an activation or gradient between two devices; nobody is busy with it
  // Where stages are unequal: what their tasks take, one entry a virtual stage, in place of the three above.
  std::vector<StageCosts> stages = {};

  double backward() const { return input_grad + weight_grad; }
};

// Backward weight delaying (On Optimizing the Communication of Model Parallelism, 2022): every whole backward becomes
// an input gradient, whose output can be sent at once, and a weight gradient, which runs while that is under way: when
// its device would wait for something else under `costs`, and at the latest when more than `waiting` of them wait (0:
// right after its input gradient, whatever the costs). All other tasks keep their order. A device then holds at most
// `waiting` chunk-microbatches more. The schedule neither splits backwards nor is without.
Plan delay_weight_gradients(const Plan& plan, int waiting, const Costs& costs = {});

// Why the weight gradients of a schedule cannot be delayed: one clear sentence; empty: they can.
std::string refuse_delay(const ScheduleDef& schedule);

// One interleaving of all devices that respects each device's order and the dependencies, s being virtual stages of a
// pipe: forward(s) -> forward(s+1), forward(s) -> backward(s), backward(s+1) -> backward(s), where an input gradient
// counts as backward, and input gradient(s) -> weight gradient(s). Throws InternalError if the order deadlocks.
// It is the order of start times when forwards, whole backwards and halves of backwards take one unit each (in a plan
// with both, whole backwards take two) and nothing else takes time. Of the tasks that start together, which are on
// different devices, the forwards come first, last stage first, then the backwards, first stage first, then the weight
// gradients. Where transfers block sender and receiver, emit the transfers that the tasks of one `start` need before
// the first of these tasks: then blocking costs no time beyond the transfers' own (emitted task by task, 1F1B takes up
// to a third longer).
struct PlacedTask {
  int device;
  int stage;  // virtual, in the task's pipe
  Task task;
  double start = 0;  // in units
};
std::vector<PlacedTask> linearize(const Plan& plan);

}  // namespace foreflow::schedule
