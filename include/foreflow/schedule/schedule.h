// Pipeline schedules: which microbatch each stage works on, in which order. Pure combinatorics; no tensors, no time, no bytes.
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

// One interleaving of all stages that respects each stage's order and the dependencies forward(s) -> forward(s+1),
// forward(s) -> backward(s), backward(s+1) -> backward(s). Throws InternalError if the order deadlocks.
struct PlacedTask {
  int stage;
  Task task;
};
std::vector<PlacedTask> linearize(const Order& order);

// Forwards only, for inference: the forward tasks of `order`.
Order forward_only(const Order& order);

struct Costs {
  double forward  = 1;  // any unit of time
  double backward = 2;
  double hop      = 0;  // latency of an activation or gradient between neighbours; nobody is busy with it
};
struct Slot {
  Task task;
  double start, end;
};
// When everything runs on in-order stages: result[stage], in the stage's order.
std::vector<std::vector<Slot>> play(const Order& order, const Costs& costs);

// The picture: one row a stage, one column a unit of time ("F0 F1 .. B0").
std::string draw(const std::vector<std::vector<Slot>>& slots);

}  // namespace foreflow::schedule
