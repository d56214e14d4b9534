// What a played schedule costs: idle time and activations held.
#pragma once

#include <vector>

#include "foreflow/schedule/schedule.h"

namespace foreflow::schedule {

struct Measures {
  double makespan        = 0;         // end of everything; the first task starts at 0
  double ideal           = 0;         // work of the busiest stage: K * (forward + backward)
  double bubble_fraction = 0;         // share of the makespan that the busiest stage is idle, 0..1
  std::vector<double> span_per_stage;  // last end - first start
  std::vector<int> peak_in_flight;     // most microbatches held: forward run, backward not finished
};

// `slots` as played with `costs`.
Measures measure(const std::vector<std::vector<Slot>>& slots, const Costs& costs);

}  // namespace foreflow::schedule
