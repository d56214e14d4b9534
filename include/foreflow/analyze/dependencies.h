// The dependency graph of a function: the vertices are ops, and an edge leads from an op to each op that reads one of
// its results. Devices are ignored, so the critical path is the time on an ideal machine that can run any number of ops
// at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::analyze {

struct Dependencies {
  std::vector<std::vector<int32_t>> readers;  // per op: the ops that read it, ascending, each once
  size_t edges() const;
};

// The dependency graph of a function. A call counts as a single op.
Dependencies dependencies(const ir::Function& function);

// Start times of an op, in the unit of the weights. The slack of an op is how much it can be delayed without
// lengthening the critical path.
struct OpTiming {
  double weight = 0, earliest_start = 0, latest_start = 0;
  double slack() const { return latest_start - earliest_start; }
};

struct CriticalPath {
  std::vector<OpTiming> ops;  // per op
  std::vector<int32_t> path;  // op numbers from first to last; ops with weight 0 are left out
  double length = 0;          // of the path
  double total  = 0;          // of all ops
};

// The critical path method (Kelley and Walker, 1959): returns the longest path. Ties are decided in favour of the ops
// that come first in the program. Requires: no weight is negative.
CriticalPath critical_path(const Dependencies& graph, const std::vector<double>& weights);

// The graph in Graphviz's DOT: a vertex for each op, labelled with its first result, op and weight. Ops on the path are
// bold.
std::string to_dot(const ir::Function& function, const Dependencies& graph, const CriticalPath& path,
                   const std::string& unit);

}  // namespace foreflow::analyze
