// The times at which the inputs of tasks arrive on their devices.
#pragma once

#include <optional>
#include <vector>

#include "foreflow/schedule/play.h"

namespace foreflow::schedule {

// The results computed so far while a plan is executed.
class Arrivals {
 public:
  // Throws InternalError unless devices, microbatches and chunks are those of the plan's size.
  Arrivals(const Plan& plan, const Costs& costs);

  // The time at which all inputs of the task have arrived; empty while one of them has not been computed.
  std::optional<double> inputs(size_t device, const Task& task) const;

  // Records that the output of the task is available from `time` on.
  void output(size_t device, const Task& task, double time);

 private:
  // By microbatch: the time at which the outputs of a stage's forward and input gradient (or whole backward) are
  // available; below 0: not yet.
  struct Stage {
    size_t device = 0;
    bool is_first = false, is_last = false;
    std::vector<double> forward, backward;
    double from_previous, from_next;  // the latencies of its inputs from other devices
  };

  // Indexed as `stages_`: stages of the down pipe, then those of the up pipe.
  size_t row(size_t device, int chunk) const { return rows_[device * chunks_ + static_cast<size_t>(chunk)]; }
  double inputs_of(size_t device, const Task& task) const;

  const size_t chunks_;       // of a device
  std::vector<size_t> rows_;  // of each chunk of each device
  std::vector<Stage> stages_;
};

}  // namespace foreflow::schedule
