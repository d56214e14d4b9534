// Use of each link: bytes carried, and the time during which at least one flow crossed it.
#pragma once

#include <vector>

#include "foreflow/stream/timeline.h"

namespace foreflow::simulate {

// Computed from the flows and loads of the timeline. `links` is the number of links of the platform.
std::vector<stream::LinkUse> link_uses(const stream::Program& program, const stream::Timeline& timeline, size_t links);

}  // namespace foreflow::simulate
