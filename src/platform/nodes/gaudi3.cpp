#include "platform/nodes/ports.h"
#include "platform/nodes/sheets.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::definitions::gaudi3 {

TopologyDef row() {
  const auto build = [](int gpus, int nics) {
    Node node = {.title   = "Server of Intel Gaudi 3",
                 .sources = {"nodes: 8 Gaudi 3 (HLB-325), every two joined by three of their 24 ports of 200 Gb/s "
                             "Ethernet, three left to the network (Intel Gaudi 3 white paper, "
                             "intel.com content-details/817486)",
                             "scaleup: 3 x 25 GB/s per direction for each pair", "nic: 3 x 25 GB/s as one port of 75",
                             kPcie5Source, "  the NICs are in the accelerators: no PCIe limits them", kLatencySource,
                             "  scaleup: that of a step over NVLink, an assumption"},
                 .gpu     = sheet("Gaudi3-128GB"),
                 .gpus    = gpus};
    join_pairs(node, {"scaleup", 75_GBps, kDirectLatency});
    add_nics(node, {"pcie", 75_GBps, kPcieLatency}, nic_port(75_GBps), nics);
    return node;
  };
  return {.name          = "gaudi3",
          .doc           = "servers of 8 Gaudi3-128GB in a full mesh of Ethernet, 8 x 600 Gb/s Ethernet",
          .default_nodes = 1,
          .gpus          = {8, 8},
          .nics          = {8, 8},
          .build         = build};
}

}  // namespace foreflow::platform::definitions::gaudi3
