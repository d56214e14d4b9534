// How many bytes each link carried and how long at least one flow was on it.
#pragma once

#include <vector>

#include "foreflow/stream/timeline.h"

namespace foreflow::simulate {

// From the flows and loads of the timeline. `links`: how many the platform has.
std::vector<stream::LinkUse> link_uses(const stream::Program& program, const stream::Timeline& timeline, size_t links);

}  // namespace foreflow::simulate
