// Computes routes of a platform in graph form on demand.
//
//   1. Devices do not forward messages.
//   2. Inside an island (islands.h) a message takes the links between accelerators (joins_accelerators) where they lead
//      there, else those of the host. Of such routes it takes the one with the lowest latency, and among those the
//      fewest links.
//   3. Between islands it takes the combination of port, route through the core, and port that is best in total by the
//      same criteria.
//   4. Among equally good ports a device uses the one of its rail.
//   5. Among equally good routes through switches the graph's ECMP rule decides.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "foreflow/platform/graph.h"
#include "foreflow/platform/platform.h"
#include "platform/routes/core_ways.h"

namespace foreflow::platform {

// Throws Error(name, ...) when two devices have no route, naming them, or latencies are too long to be added up.
Router make_router(std::shared_ptr<const Graph> graph, const List<Device>& devices, const List<Link>& links,
                   const std::string& name);

// How a router reads the platform whose parts it has. Pure functions.
struct Wiring {
  std::function<void(int step, std::vector<int>& links)> cross;  // appends the links of a step
  std::function<Seconds(int link)> latency;
  std::function<uint64_t(int device)> rail;
};

// The parts join every two devices; `core` says how messages cross the core, and parts.core is not looked at.
Router make_router(Parts parts, CoreWays core, Wiring wiring, const EcmpRule& rule);

}  // namespace foreflow::platform
