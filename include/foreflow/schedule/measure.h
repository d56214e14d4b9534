// Measures of an executed schedule: idle time and activations held.
#pragma once

#include <vector>

#include "foreflow/schedule/play.h"

namespace foreflow::schedule {

struct Measures {
  double makespan        = 0;          // end of everything; the first task starts at 0
  double ideal           = 0;          // work of the busiest device: K * (forward + backward)
  double bubble_fraction = 0;          // share of the makespan that the busiest device is idle, 0..1
  std::vector<double> span_per_stage;  // of each device: last end - first start
  std::vector<int> peak_in_flight;     // of each device, as ScheduleDef::peak_live
};

// Requires: `slots` is play(plan, costs).
Measures measure(const Plan& plan, const Slots& slots, const Costs& costs);

}  // namespace foreflow::schedule
