#include <fmt/core.h>

#include <algorithm>

#include "foreflow/schedule/plan.h"

namespace foreflow::schedule {
namespace {

std::vector<Task> delayed(const std::vector<Task>& tasks, size_t behind) {
  std::vector<Task> result;
  std::vector<Task> weight_grads;
  size_t put_off = 0;  // of `weight_grads`, the first that has not been placed
  result.reserve(2 * tasks.size());
  for (const Task& task : tasks) {
    FOREFLOW_CHECK(!task.joined && (task.phase == Phase::forward || task.phase == Phase::backward),
                   "what is split already is not split again");
    if (task.phase == Phase::forward) {
      result.push_back(task);
      continue;
    }
    result.push_back({Phase::input_grad, task.microbatch, task.chunk});
    weight_grads.push_back({Phase::weight_grad, task.microbatch, task.chunk});
    if (weight_grads.size() > behind) result.push_back(weight_grads[put_off++]);
  }
  for (; put_off < weight_grads.size(); ++put_off) result.push_back(weight_grads[put_off]);
  return result;
}

}  // namespace

Plan delay_weight_gradients(Plan plan, int behind) {
  FOREFLOW_CHECK(behind >= 0, "weight gradients come after their input gradients");
  for (auto& tasks : plan.order) tasks = delayed(tasks, static_cast<size_t>(behind));
  return plan;
}

std::string refuse_delay(const ScheduleDef& schedule) {
  if (!schedule.trains) return fmt::format("{} has no weight gradients to delay", schedule.name);
  if (schedule.splits_backward)
    return fmt::format("{} splits the backward and places weight gradients itself", schedule.name);
  return "";
}

}  // namespace foreflow::schedule
