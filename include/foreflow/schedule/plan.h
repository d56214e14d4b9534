// A schedule at a given size: the task order of every device, and the functions that tell which tasks depend on each
// other.
#pragma once

#include <vector>

#include "foreflow/schedule/schedule.h"

namespace foreflow::schedule {

struct Plan {
  Size size;
  StageMapping mapping = StageMapping::looped;
  Order order;  // one entry per device

  int stages() const { return schedule::stages(mapping, size); }
  int stage_of(int device, int chunk) const { return schedule::stage_of(mapping, size, device, chunk); }
  int pipes() const { return mapping == StageMapping::mirrored ? 2 : 1; }
  int pipe_of(int chunk) const { return mapping == StageMapping::mirrored ? chunk : 0; }
  // Number of microbatches that go through a pipe. With two pipes each has half of them; an odd one goes down.
  int microbatches_of(int pipe) const;
  // The number, 0..K-1, of a task's microbatch within the batch: the down pipe has the first half, the up pipe the
  // rest.
  int part(const Task& task) const;
};

// Requires: `size` is a result of try_size or checked_size.
Plan plan(const ScheduleDef& schedule, const Size& size);

// The forward tasks alone, for inference.
Plan forward_only(Plan plan);

// Times of the tasks of one virtual stage.
struct StageCosts {
  double forward, input_grad, weight_grad;
  // To add gradients of weights to those of the microbatches before: every task but the first that computes them takes
  // this much longer.
  double accumulation = 0;
  // The latencies, besides Costs::hop, of the activation of the stage before this one and of the gradient of the stage
  // behind it, where they come from another device.
  double from_previous = 0, from_next = 0;
};

// Time of one microbatch on one device, over all chunks of the device, in any unit. With v chunks of the model on a
// device each task takes 1/v of it. With two pipes, which are two copies of the model, a task takes all of it.
struct Costs {
  double forward     = 1;
  double input_grad  = 1;
  double weight_grad = 1;
  double hop         = 0;  // latency of an activation or gradient between two devices; keeps no device busy
  // For unequal stages: the times of each virtual stage, which replace the three above. Empty: equal stages.
  std::vector<StageCosts> stages = {};

  double backward() const { return input_grad + weight_grad; }
};

// Backward weight delaying (On Optimizing the Communication of Model Parallelism, 2022): splits every backward into an
// input gradient, whose output can be sent at once, and a weight gradient, which runs during that transfer. A weight
// gradient runs as soon as
//   1. its device would otherwise be idle under `costs`, or
//   2. more than `waiting` weight gradients of the device are waiting (0: directly after its input gradient).
// All other tasks keep their order. A device holds at most `waiting` more chunk-microbatches than before.
// Requires: the schedule has backwards and does not split them (refuse_delay).
Plan delay_weight_gradients(const Plan& plan, int waiting, const Costs& costs = {});

// Why the weight gradients of a schedule cannot be delayed, in one sentence; empty: they can.
std::string refuse_delay(const ScheduleDef& schedule);

// Interleaves the tasks of all devices into one sequence that respects the order of each device and, for virtual stages
// s of a pipe, these dependencies (an input gradient counts as backward):
//   1. forward(s) before forward(s+1);
//   2. forward(s) before backward(s);
//   3. backward(s+1) before backward(s);
//   4. input gradient(s) before weight gradient(s).
// Throws InternalError when the order deadlocks.
//
// Tasks are sorted by start time where a forward, a whole backward and each half of a backward take one unit (in a plan
// with whole and split backwards, whole ones take two) and transfers take none. Tasks that start together, which are on
// different devices, are sorted as
//   1. forwards, last stage first;
//   2. backwards, first stage first;
//   3. weight gradients.
// If transfers block sender and receiver, the caller should emit all transfers that the tasks of one `start` need
// before the first of these tasks. Blocking then costs no more than the transfers themselves; emitted task by task,
// 1F1B takes up to a third longer.
struct PlacedTask {
  int device;
  int stage;  // virtual stage, in the task's pipe
  Task task;
  double start = 0;  // in units
};
std::vector<PlacedTask> linearize(const Plan& plan);

}  // namespace foreflow::schedule
