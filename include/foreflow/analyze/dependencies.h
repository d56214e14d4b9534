// The dependency graph of a function: ops are its vertices, and an edge leads from an op to each op that reads a result
// of it. Devices do not count: this is what an ideal machine with room for everything at once could do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::analyze {

struct Dependencies {
  std::vector<std::vector<int32_t>> readers;  // per op, in order, each once
  size_t edges() const;
};

// The ops of a function without calls; those of a function with calls count a call as one op.
Dependencies dependencies(const ir::Function& function);

// In the unit of the weights. The slack of an op is how much later it could end without the whole getting longer.
struct OpTiming {
  double weight = 0, earliest_start = 0, latest_start = 0;
  double slack() const { return latest_start - earliest_start; }
};

struct CriticalPath {
  std::vector<OpTiming> ops;  // per op
  std::vector<int32_t> path;  // op numbers from the first to the last; each weighs something
  double length = 0;          // of the path
  double total  = 0;          // of all ops
};

// The critical path method (Kelley and Walker, 1959): no weight may be negative. Of several longest paths one through
// the first op of the program that can.
CriticalPath critical_path(const Dependencies& graph, const std::vector<double>& weights);

// Graphviz: a vertex for each op with its first result, op and weight; those of the path are bold.
std::string to_dot(const ir::Function& function, const Dependencies& graph, const CriticalPath& path,
                   const std::string& unit);

}  // namespace foreflow::analyze
