// Compares measured times with predicted ones.
#pragma once

#include <string>
#include <vector>

#include "foreflow/cost/calibration.h"
#include "foreflow/execute/predict.h"

namespace foreflow::execute {

struct Compared {
  std::string name;  // "iteration", "D1 compute", "MatMul"
  Seconds measured, predicted;

  // predicted / measured - 1. Requires: `measured` is above 0.
  double relative_error() const { return predicted / measured - 1; }
};

// Rows, in this order, without those that were measured as 0:
//   1. the median iteration of `whole`;
//   2. of each process in `detailed`: its computes, its communications, and its wait for others;
//   3. of each op: the time of all its executions in an iteration of `detailed`, on all processes. The predicted time
//      adds up the prices that `calibration` has for them; ops without a price have no row.
// `whole` and `detailed` are runs of one program: the second with every op timed, which makes it slower.
std::vector<Compared> compare(const Prediction& prediction, const cost::Calibration& calibration,
                              const Execution& whole, const Execution& detailed);

// Both timelines of an iteration as Chrome trace JSON, which ui.perfetto.dev opens: two processes for each device.
std::string trace(const Prediction& prediction, const Execution& detailed);

}  // namespace foreflow::execute
