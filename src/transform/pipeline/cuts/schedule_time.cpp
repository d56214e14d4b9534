#include "transform/pipeline/cuts/schedule_time.h"

namespace foreflow::transform {
namespace {

// The number of microbatches after which a schedule repeats itself; 0: it has too few of them to be shortened.
int period_of(const schedule::ScheduleDef& schedule, schedule::Size size) {
  const int all = size.microbatches;
  for (const int period : {size.devices, 2 * size.devices}) {
    size.microbatches = all - period;
    if (all >= 4 * period && (schedule.refuse == nullptr || schedule.refuse(size).empty())) return period;
  }
  return 0;
}

schedule::TaskSequence tasks_of(const schedule::ScheduleDef& schedule, schedule::Size size, int microbatches) {
  size.microbatches = microbatches;
  return schedule::TaskSequence(schedule::plan(schedule, size));
}

}  // namespace

ScheduleTime::ScheduleTime(const schedule::ScheduleDef& schedule, const schedule::Size& size) {
  const int period = period_of(schedule, size);
  const int few    = period == 0 ? size.microbatches : 2 * period + size.microbatches % period;
  tasks_.push_back(tasks_of(schedule, size, few));
  if (period == 0) return;
  tasks_.push_back(tasks_of(schedule, size, few + period));
  periods_ = (size.microbatches - few) / period;
}

double ScheduleTime::of(const schedule::Costs& costs) const {
  const double before = tasks_.front().makespan(costs);
  return periods_ == 0 ? before : before + (tasks_.back().makespan(costs) - before) * periods_;
}

}  // namespace foreflow::transform
