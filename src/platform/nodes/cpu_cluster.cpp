#include "platform/nodes/ports.h"
#include "platform/nodes/sheets.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::definitions::cpu_cluster {

// A device is a socket.
TopologyDef row() {
  const auto build = [](int gpus, int nics) {
    Node node = {
        .title   = "Server of two CPU sockets",
        .sources = {"nic: one HDR InfiniBand, 25 GB/s (stas00/ml-engineering network/README.md), an assumption",
                    kPcie4Source, kUpiSource, "host latency: 1 us between sockets, as localhost's shared memory",
                    kLatencySource},
        .gpu     = sheet("CPU-socket"),
        .gpus    = gpus};
    join_all(node, "sockets", {"host", upi_port().bandwidth, 500_ns});
    add_nics(node, pcie4_port(), nic_port(25_GBps), nics);
    return node;
  };
  return {.name          = "cpu_cluster",
          .doc           = "servers of two 32-core CPU sockets, a device each, one 200 Gb/s InfiniBand",
          .default_nodes = 4,
          .gpus          = {2, 1024},
          .nics          = {1, 1024},
          .build         = build};
}

}  // namespace foreflow::platform::definitions::cpu_cluster
