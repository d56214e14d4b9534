// Computes routes of a platform in graph form on demand.
//
//   1. Devices do not forward messages.
//   2. Inside an island (islands.h) a message takes the route with the lowest latency, and among those the fewest
//      links.
//   3. Between islands it takes the combination of port, route through the core, and port that is best in total by the
//      same criteria.
//   4. Among equally good ports a device uses the one of its rail.
//   5. Among equally good routes through switches the graph's ECMP rule decides.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "foreflow/platform/graph.h"
#include "foreflow/platform/platform.h"

namespace foreflow::platform {

// Throws Error(name, ...) when two devices have no route, naming them, or latencies are too large for an exact sum.
Router make_router(std::shared_ptr<const Graph> graph, const std::vector<Device>& devices,
                   const std::vector<Link>& links, const std::string& name);

}  // namespace foreflow::platform
