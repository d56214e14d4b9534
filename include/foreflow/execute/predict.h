// Simulates the run that execute.h measures: the same program on the platform `localhost`.
#pragma once

#include <array>
#include <vector>

#include "foreflow/cost/cost.h"
#include "foreflow/execute/execute.h"

namespace foreflow::execute {

struct Prediction {
  Seconds iteration;
  std::vector<RankTimes> ranks;                          // as Execution::ranks
  std::vector<Span> timeline;                            // as Execution::timeline
  std::array<Seconds, cost::kProvenances> provenance{};  // compute time of all processes by provenance of its prices
};

// With a `spread` (Execution::spread), computes take their time times a number drawn uniformly around 1 with this
// standard deviation (simulate::Jitter), so that processes wait for each other as real ones do; the times are then
// medians over several draws. Requires: one stream per device (fold_streams). Throws Error when the program cannot be
// priced.
Prediction predict(const Task& task, const cost::CostModel& cost, double spread = 0);

}  // namespace foreflow::execute
