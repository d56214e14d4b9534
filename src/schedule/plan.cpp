#include "foreflow/schedule/plan.h"

namespace foreflow::schedule {

int Plan::microbatches_of(int pipe) const {
  if (pipes() == 1) return size.microbatches;
  return pipe == 0 ? (size.microbatches + 1) / 2 : size.microbatches / 2;
}

int Plan::part(const Task& task) const { return task.microbatch + (pipe_of(task.chunk) == 0 ? 0 : microbatches_of(0)); }

Plan plan(const ScheduleDef& schedule, const Size& size) { return {size, schedule.mapping, schedule.order(size)}; }

Plan forward_only(Plan plan) {
  for (auto& tasks : plan.order) {
    std::erase_if(tasks, [](const Task& task) { return task.phase != Phase::forward; });
    for (Task& task : tasks) task.joined = false;
  }
  return plan;
}

}  // namespace foreflow::schedule
