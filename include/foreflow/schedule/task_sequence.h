// Plays a plan with many different costs.
#pragma once

#include <cstdint>
#include <vector>

#include "foreflow/schedule/play.h"

namespace foreflow::schedule {

// The tasks of a plan in a sequence in which they can run one after the other. Costs do not change what a task waits
// for, so the sequence is found once, and playing it is one pass over the tasks.
class TaskSequence {
 public:
  // Throws InternalError on a deadlock, and where devices, microbatches or chunks are not those of the plan's size.
  explicit TaskSequence(const Plan& plan);

  // As play().
  Slots play(const Costs& costs) const;

  // When the last task ends.
  double makespan(const Costs& costs) const;

 private:
  friend class SequenceFinder;

  // A task whose result another one waits for.
  struct Awaited {
    int32_t step = -1;  // its number in the sequence; -1: there is none
    uint32_t hop = 0;   // index into the result of hops()
  };
  struct Step {
    Task task;
    uint32_t device;
    uint32_t time;  // index into the result of times()
    Awaited one = {}, another = {};
  };

  // The time of every kind of task of every chunk of every device.
  std::vector<double> times(const Costs& costs) const;
  // The latency of every input of every virtual stage from another device; the first, of the same device, is 0.
  std::vector<double> hops(const Costs& costs) const;
  // Calls see(step, start, end) for every step.
  template <typename See>
  void run(const Costs& costs, const See& see) const;

  Plan size_;  // without its order
  std::vector<Step> steps_;
  std::vector<size_t> tasks_;  // of each device: their number
};

}  // namespace foreflow::schedule
