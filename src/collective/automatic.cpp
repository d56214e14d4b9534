// The choice that libraries make for their users: the algorithm with the least closed form.
#include <functional>

#include "collective/layout.h"

namespace foreflow::collective {
namespace {

const AlgorithmDef& fastest(const Task& task, const std::function<Cost(const AlgorithmDef&)>& cost) {
  const AlgorithmDef* best = &default_algorithm(task.kind);
  Seconds least            = cost(*best).total();
  for (const AlgorithmDef& row : algorithms()) {
    if (row.choose != nullptr || row.is_of_libraries || &row == best || !row.supports_task(task)) continue;
    const Seconds time = cost(row).total();
    if (time < least) best = &row, least = time;
  }
  return *best;
}

}  // namespace

const AlgorithmDef& choose(const Task& task) {
  return fastest(task, [&](const AlgorithmDef& row) { return closed_form(row, task); });
}

const AlgorithmDef& usable(const AlgorithmDef& wanted, const Task& task, const Network& network) {
  if (!wanted.supports_task(task)) return default_algorithm(task.kind);
  if (wanted.choose == nullptr) return wanted;
  return wanted.choose(task, [&](const AlgorithmDef& row) { return closed_form(row, task, network); });
}

namespace definitions::automatic {
namespace {

Plan plan(const Task& task) { return choose(task).plan(task); }
FlowPlan flows(const Task& task) { return choose(task).flows(task); }

std::vector<Kind> all_kinds() {
  std::vector<Kind> all;
  for (const KindDef& def : kinds()) all.push_back(def.kind);
  return all;
}

}  // namespace

AlgorithmDef row() {
  return {.name         = "auto",
          .doc          = "the algorithm with the least predicted time, by latencies and by bytes at the busiest link",
          .source       = "in the manner of NCCL src/graph/tuning.cc",
          .kinds        = all_kinds(),
          .supports     = any_group,
          .plan         = plan,
          .flows        = flows,
          .wants_relays = true,
          .choose       = fastest,
          .flows_by_bytes = true};
}

}  // namespace definitions::automatic
}  // namespace foreflow::collective
