// Routes of a platform that is a graph, found when they are asked for.
//
// Devices forward nothing. Inside an island a message takes the way of the least latency, then of the fewest links.
// Between islands it takes the ports at both ends and the way through the core that are best together. Of equally good
// ports a device takes the one that its rail says, of equally good ways through switches the one that the graph's ECMP
// rule says.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "foreflow/platform/graph.h"
#include "foreflow/platform/platform.h"
#include "platform/core_ways.h"

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
