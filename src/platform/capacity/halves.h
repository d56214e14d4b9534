// The bandwidth between two sets of devices of a graph.
#pragma once

#include <vector>

#include "foreflow/platform/platform.h"
#include "platform/routes/islands.h"

namespace foreflow::platform {

// The smallest cut between the devices with sends[device] and the others, in bytes per second from the former to the
// latter. Only connections that routes may use count: inside an island those on shortest ways from a sender to a
// receiver, or from a sender to a port or a port to a receiver if there are others outside; in the core all. `idle` is
// idle_cards() of the platform (platform/cards.h), through which no message passes.
int64_t cut_between(const Platform& platform, const Parts& parts, const std::vector<char>& idle,
                    const std::vector<char>& sends);

}  // namespace foreflow::platform
