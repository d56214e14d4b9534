// The switches outside of servers as a network.
#pragma once

#include <vector>

#include "platform/routes/islands.h"

namespace foreflow::platform {

struct CoreEdge {
  int a, b;  // switches
  int edge;  // of the graph
  Cost forth, back;
};

// `switches` know their vertices only; the result knows which vertex of the network stands for each.
Core make_core(std::vector<Switch> switches, const std::vector<CoreEdge>& edges);

}  // namespace foreflow::platform
