// The choice that libraries make for their users: the algorithm with the least closed form.
#include "collective/layout.h"

namespace foreflow::collective {

const AlgorithmDef& choose(const Task& task) {
  const AlgorithmDef* best = &default_algorithm(task.kind);
  Seconds least            = closed_form(*best, task).total();
  for (const AlgorithmDef& row : algorithms()) {
    if (row.name == "auto" || !row.supports_task(task)) continue;
    const Seconds time = closed_form(row, task).total();
    if (time < least) best = &row, least = time;
  }
  return *best;
}

namespace definitions {
namespace {

Plan plan(const Task& task) { return choose(task).plan(task); }
FlowPlan flows(const Task& task) { return choose(task).flows(task); }

}  // namespace

AlgorithmDef automatic() {
  return {"auto",
          "the algorithm with the least predicted time, by latencies and by bytes at the busiest port",
          "in the manner of NCCL src/graph/tuning.cc",
          {Kind::send, Kind::all_reduce, Kind::reduce_scatter, Kind::all_gather, Kind::broadcast, Kind::reduce,
           Kind::gather, Kind::scatter, Kind::all_to_all},
          any_group,
          plan,
          flows,
          true};
}

}  // namespace definitions
}  // namespace foreflow::collective
