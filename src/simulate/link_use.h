// How many bytes each link carried and how long at least one flow was on it.
#pragma once

#include <vector>

#include "foreflow/stream/timeline.h"
#include "simulate/footprint.h"

namespace foreflow::simulate {

struct Interval {
  Seconds start, end;
};

// `flows[i]`: when flows of footprints.phases[i] ran. `links`: how many the platform has.
std::vector<stream::LinkUse> link_uses(const Footprints& footprints, const std::vector<std::vector<Interval>>& flows,
                                       size_t links);

}  // namespace foreflow::simulate
