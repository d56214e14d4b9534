// Lower bounds of what follows the tasks of a step: exchanges of gradients and weights, and updates.
#pragma once

#include <vector>

#include "search/bounds/task_times.h"

namespace foreflow::search {

class EndOfStep {
 public:
  // Both must outlive it.
  EndOfStep(const StagedStep& step, const ExchangingTasks& tasks)
      : step_(step), strategy_(step.strategy), tasks_(tasks) {}

  // The work of a device at the end of a step: `before` may have been done between the tasks, `sums` are the sums over
  // the pipes, and `after` is all that follows them.
  struct Rest {
    Seconds before, sums, after;
  };
  Rest rest(size_t device) const;

  // When the exchanges end that travel beside the tasks of a device, on a stream of their own. Those of gradients wait
  // for the start of the task that makes them: of the last microbatch, where all are summed first. With two pipes, they
  // wait for the last task. Two gathers may travel before the first task starts.
  //
  //   computes    |W 1 ..|W 2 ..|W 3 ..|
  //   exchanges    |gradients 1 ..|gradients 2 ..|gradients 3 ..|
  //
  // No order of exchanges ends before the one in which they can start.
  Seconds beside(size_t device, const std::vector<schedule::Slot>& slots) const;

  // When the gradients of weights that two stages share are exchanged: their devices sum the terms of all microbatches,
  // then the replicas do, and then follows what a device does at the end.
  Seconds shared(const schedule::Slots& slots) const;

 private:
  Seconds once(Bytes gradients) const;
  Bytes shared_on(size_t device, int chunk) const;
  Bytes gradients_of(size_t device) const;
  Seconds of_each_microbatch(size_t device, const std::vector<schedule::Slot>& slots, Seconds begin) const;
  Seconds of_all_microbatches(size_t device, const std::vector<schedule::Slot>& slots) const;

  const StagedStep& step_;
  const scenario::Strategy& strategy_;
  const ExchangingTasks& tasks_;
};

}  // namespace foreflow::search
