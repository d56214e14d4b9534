// The network as the contention solver sees it: only the links that can ever limit somebody, and one route for each
// distinct way to load them. Exact: no time changes.
#pragma once

#include <vector>

#include "simulate/footprint.h"

namespace foreflow::simulate {

struct Network {
  std::vector<BytesPerSecond> links;     // bandwidths
  std::vector<std::vector<int>> routes;  // indices into links, ascending; a link listed k times is crossed k times
  std::vector<int> route_of;             // of each phase; -1: no flow
};

// A route is flown at the pace of one unit flow of its phase: the amount to transfer is unit * bytes.
Network condense(const Footprints& footprints, const platform::Platform& platform);

}  // namespace foreflow::simulate
