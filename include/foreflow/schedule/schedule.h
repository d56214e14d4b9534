// Pipeline schedules: which microbatch each stage works on, in which order. Pure combinatorics; no tensors, no bytes,
// and no time but the toy costs of `play`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/registry.h"

namespace foreflow::schedule {

enum class Phase { forward, backward };

struct Task {
  Phase phase;
  int microbatch;  // 0..K-1
  auto operator<=>(const Task&) const = default;
};

// "F0", "B12".
std::string label(const Task& task);

// order[stage] = the tasks of that stage, first to last.
using Order = std::vector<std::vector<Task>>;

struct ScheduleDef {
  std::string_view name;
  std::string_view doc;
  // stages >= 1, microbatches >= 1. Training: every stage runs each forward and each backward once.
  Order (*order)(int stages, int microbatches);
  // Most microbatches that `stage` holds at once (forward done, backward not finished).
  int (*peak_live)(int stages, int microbatches, int stage);
};

const Registry<ScheduleDef>& schedules();

// Throws Error at `where` unless there is a schedule of this size: both at least 1, and a sane number of tasks.
void check_size(int stages, int microbatches, const std::string& where);

// One interleaving of all stages that respects each stage's order and the dependencies forward(s) -> forward(s+1),
// forward(s) -> backward(s), backward(s+1) -> backward(s). Throws InternalError if the order deadlocks.
// It is the order of start times when a backward costs two forwards and nothing else takes time. Of the tasks that
// start together, which are on different stages, the forwards come first, last stage first, then the backwards, first
// stage first. Where transfers block sender and receiver, emit the transfers that the tasks of one `start` need before
// the first of these tasks: then blocking costs no time beyond the transfers' own (emitted task by task, 1F1B takes up
// to a third longer).
struct PlacedTask {
  int stage;
  Task task;
  double start = 0;  // in forwards
};
std::vector<PlacedTask> linearize(const Order& order);

// Forwards only, for inference: the forward tasks of `order`.
Order forward_only(const Order& order);

struct Costs {
  double forward  = 1;  // any unit of time
  double backward = 2;
  double hop      = 0;  // latency of an activation or gradient between neighbours; nobody is busy with it
};

// Throws Error at `where` unless forward and backward are positive and hop is not negative, all finite.
void check_costs(const Costs& costs, const std::string& where);

struct Slot {
  Task task;
  double start, end;
};
// When everything runs on in-order stages: result[stage], in the stage's order. Throws InternalError on a deadlock.
std::vector<std::vector<Slot>> play(const Order& order, const Costs& costs);

// The picture: one row a stage, one column a unit of time ("F0 F1 .. B0-- ..": dots are idle, dashes continue a task).
// Times that are not whole units get finer or coarser columns, see `column_time`.
std::string draw(const std::vector<std::vector<Slot>>& slots);

// The time that one column of `draw` stands for: the greatest common divisor of all times, or half the shortest task,
// to which the picture then rounds, where there is no reasonable divisor. A picture has at most 100000 columns; beyond,
// columns grow and a task that is shorter than a column may lose its cell.
double column_time(const std::vector<std::vector<Slot>>& slots);

}  // namespace foreflow::schedule
