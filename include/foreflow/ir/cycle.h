// Cycles in a graph of things that depend on each other.
#pragma once

#include <cstdint>
#include <vector>

namespace foreflow::ir {

// The vertices of a cycle, in the direction of the edges: of all cycles the shortest through the lowest vertex that
// lies on one, which comes first. Empty when there is none. `successors` per vertex; an edge to itself is a cycle of
// one.
std::vector<int32_t> find_cycle(const std::vector<std::vector<int32_t>>& successors);

}  // namespace foreflow::ir
