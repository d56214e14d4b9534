// A collective among devices of a platform, as the algorithms see it: the nodes that the ranks sit in and how a message
// travels inside and between them.
#pragma once

#include <vector>

#include "foreflow/collective/collective.h"
#include "foreflow/platform/platform.h"

namespace foreflow::stream {

// `places[rank]` is an index into platform.devices(). The wires are the slowest of the routes that lead once around the
// members of each node, and once around the nodes from first member to first member; members without a route to each
// other are passed over (a flow that needs the route will say so). Where all sit in one node, or one in each, both wires
// are the same.
collective::Task task_of(const platform::Platform& platform, collective::Kind kind, Bytes bytes,
                         const std::vector<int>& places);

}  // namespace foreflow::stream
