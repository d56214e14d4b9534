#include "platform/nodes/ports.h"
#include "platform/nodes/sheets.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::definitions::mi300x {

TopologyDef row() {
  const auto build = [](int gpus, int nics) {
    Node node = {
        .title   = "Server of AMD Instinct MI300X",
        .sources = {"nodes: 8 MI300X, every two joined by Infinity Fabric (amd.com/en/products/accelerators/"
                    "instinct/mi300/platform.html); a 400 Gb/s NIC for each (learn.microsoft.com nd-mi300x-v5-series)",
                    "xgmi: 64 GB/s per direction for each pair: 7 links of 128 GB/s both ways, 896 GB/s "
                    "(stas00/ml-engineering network/README.md)",
                    kPcie5Source, kLatencySource, "  xgmi: that of NVLink, an assumption"},
        .gpu     = sheet("MI300X-192GB"),
        .gpus    = gpus};
    join_pairs(node, {"xgmi", 64_GBps, kDirectLatency});
    add_nics(node, pcie5_port(), nic_port(50_GBps), nics);
    return node;
  };
  return {.name          = "mi300x",
          .doc           = "servers of 8 MI300X-192GB in a full mesh of Infinity Fabric, 8 x 400 Gb/s InfiniBand",
          .default_nodes = 1,
          .gpus          = {8, 8},
          .nics          = {8, 1024},
          .build         = build};
}

}  // namespace foreflow::platform::definitions::mi300x
