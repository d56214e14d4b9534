// The time in which a schedule does the work of stages.
#pragma once

#include <vector>

#include "foreflow/schedule/schedule.h"
#include "foreflow/schedule/task_sequence.h"

namespace foreflow::transform {

// Plays a few of many microbatches; the others take as long as the last of these. The tasks are put in sequence once,
// for any number of costs.
class ScheduleTime {
 public:
  ScheduleTime(const schedule::ScheduleDef& schedule, const schedule::Size& size);

  double of(const schedule::Costs& costs) const;

 private:
  // The tasks of a few microbatches and, where the others repeat them, of a period more.
  std::vector<schedule::TaskSequence> tasks_;
  int periods_ = 0;  // that are not played but for the first
};

}  // namespace foreflow::transform
