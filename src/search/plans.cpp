#include "search/plans.h"

namespace foreflow::search {

const schedule::Plan& Plans::of(const schedule::ScheduleDef& schedule, const schedule::Size& size) {
  constexpr size_t kMostTasks = 2'000'000;  // which take about thirty megabytes
  const std::tuple key(&schedule, size.devices, size.microbatches, size.chunks);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  if (tasks_ > kMostTasks) {
    known_.clear();
    tasks_ = 0;
  }
  const schedule::Plan& plan = known_.emplace(key, schedule::plan(schedule, size)).first->second;
  for (const auto& tasks : plan.order) tasks_ += tasks.size();
  return plan;
}

}  // namespace foreflow::search
