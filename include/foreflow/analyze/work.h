// How much the ops of a program compute and move, by their own account.
#pragma once

#include <string>
#include <vector>

#include "foreflow/analyze/subject.h"
#include "foreflow/cost/cost.h"

namespace foreflow::analyze {

// Per op. Nothing for work on the host, for communication, and where a shape is unknown.
std::vector<ir::Work> work_of_ops(const Subject& subject);

// One row of a table by op type.
struct TypeRow {
  std::string op;
  size_t count = 0;
  Flops flops;
  Bytes read, written;
};
// The rows by flops, then bytes, then name: largest first.
std::vector<TypeRow> totals_by_type(const Subject& subject, const std::vector<ir::Work>& work);

// What a path through the program adds up.
struct Weighing {
  std::string name;             // "ops", "flops", "bytes" or "seconds"
  std::vector<double> weights;  // per op
  size_t unpriced = 0;          // communication ops that the cost model leaves to a simulation; they weigh nothing
};
Weighing weigh_ops(const Subject& subject);  // 1 for every op that runs on a device
Weighing weigh_flops(const std::vector<ir::Work>& work);
Weighing weigh_bytes(const std::vector<ir::Work>& work);
Weighing weigh_seconds(const Subject& subject, const cost::CostModel& model, const platform::Device& device);

}  // namespace foreflow::analyze
