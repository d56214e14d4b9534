#include "platform/link_units.h"
#include "platform/nodes/sheets.h"

namespace foreflow::platform::definitions::localhost {

// A node is a process on a core of its own, with one device. A message is copied out of the sender's memory and into
// the receiver's: two links, each with half the latency.
//
//   node0-gpu0 --memory up--> (shared segment) --memory down--> node1-gpu0
TopologyDef row() {
  const auto build = [](int gpus, int /*nics*/) {
    Node node = {.title   = "Processes on one machine",
                 .sources = {"memory links: Open MPI 4.1.4 through shared memory on a 2-core virtual machine, 2 MiB "
                             "messages at 10 GB/s",
                             "  and 1 us for small ones (ping-pong, 2026-11-21)"},
                 .gpu     = sheet("CPU-core"),
                 .gpus    = gpus};
    node.nics.push_back({"memory", {"memory", 10_GBps, 500_ns}, 0});
    return node;
  };
  return {.name          = "localhost",
          .doc           = "processes on one machine, a core each, that talk through shared memory",
          .default_nodes = 2,
          .gpus          = {1, 1},
          .nics          = {1, 1},
          .build         = build};
}

}  // namespace foreflow::platform::definitions::localhost
