// Flops and bytes of the ops of a program, as their definitions state them.
#pragma once

#include <string>
#include <vector>

#include "foreflow/analyze/subject.h"
#include "foreflow/cost/cost.h"

namespace foreflow::analyze {

// The work of each op; zero for shape arithmetic, for communication, and for ops with an unknown shape.
std::vector<ir::Work> work_of_ops(const Subject& subject);

// Totals of all ops of one type.
struct TypeRow {
  std::string op;
  size_t count = 0;
  Flops flops;
  Bytes read, written;
};
// Rows sorted by flops, then bytes (largest first), then name.
std::vector<TypeRow> totals_by_type(const Subject& subject, const std::vector<ir::Work>& work);

// The weights of ops for a critical path.
struct Weighing {
  std::string name;             // "ops", "flops", "bytes" or "seconds"
  std::vector<double> weights;  // per op
  size_t unpriced = 0;          // number of communication ops that the cost model does not price; their weight is 0
};
Weighing weigh_ops(const Subject& subject);  // 1 for every op that runs on a device
Weighing weigh_flops(const std::vector<ir::Work>& work);
Weighing weigh_bytes(const std::vector<ir::Work>& work);
Weighing weigh_seconds(const Subject& subject, const cost::CostModel& model, const platform::Device& device);

}  // namespace foreflow::analyze
