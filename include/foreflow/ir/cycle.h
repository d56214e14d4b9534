// Finds a cycle in a dependency graph.
#pragma once

#include <cstdint>
#include <vector>

namespace foreflow::ir {

// The vertices of a cycle, in the direction of the edges; empty if the graph has none. The cycle begins with the lowest
// vertex that lies on any cycle, and is a shortest one through it. A vertex with an edge to itself is a cycle of one.
// `successors` is indexed by vertex.
std::vector<int32_t> find_cycle(const std::vector<std::vector<int32_t>>& successors);

}  // namespace foreflow::ir
