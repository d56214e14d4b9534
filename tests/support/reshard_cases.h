// The nine resharding cases of the paper's Table 2 with exact results (tests/data/reshard_cases.json), on nodes of four
// devices: the source mesh begins at device 0, and the target mesh in the node behind it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/reshard/unit_tasks.h"

namespace foreflow::test {

struct ReshardCase {
  std::string name;  // "case1"
  reshard::Move move;
  Json facts;  // "n_unit_tasks", "unit_tasks", "in_units_of_t"
  Seconds t;   // time to send the tensor once at 10 Gb/s

  // A time "in_units_of_t", in seconds.
  Seconds expected(const std::string& column) const;
};
std::vector<ReshardCase> reshard_cases();

// Device d is in host d / 4.
std::map<int, int> hosts_of_four(const reshard::Move& move);

}  // namespace foreflow::test
