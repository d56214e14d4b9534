#include "schedule/put_off.h"

namespace foreflow::schedule {

std::vector<Task> put_off_weight_grads(const std::vector<Task>& tasks, int behind) {
  std::vector<Task> result, weight_grads;
  size_t placed = 0;  // of `weight_grads`
  result.reserve(2 * tasks.size());
  for (const Task& task : tasks) {
    if (task.phase == Phase::forward) {
      result.push_back(task);
      continue;
    }
    result.push_back({Phase::input_grad, task.microbatch, task.chunk});
    weight_grads.push_back({Phase::weight_grad, task.microbatch, task.chunk});
    if (weight_grads.size() > static_cast<size_t>(behind)) result.push_back(weight_grads[placed++]);
  }
  for (; placed < weight_grads.size(); ++placed) result.push_back(weight_grads[placed]);
  return result;
}

}  // namespace foreflow::schedule
