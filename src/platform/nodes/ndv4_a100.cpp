#include "platform/nodes/ports.h"
#include "platform/nodes/sheets.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::definitions::ndv4_a100 {

TopologyDef row() {
  const auto build = [](int gpus, int nics) {
    Node node = {
        .title   = "Azure ND A100 v4",
        .sources = {"nodes: 8 A100-40GB on NVSwitch; 8 x 200 Gb/s HDR InfiniBand, one per GPU (learn.microsoft.com "
                    "nda100-v4-series)",
                    "nvlink: 300 GB/s per direction (stas00/ml-engineering network/README.md)", kPcie4Source,
                    "cpu: 2 EPYC 7V12 (learn.microsoft.com nda100-v4-series)", kLatencySource},
        .gpu     = sheet("A100-SXM4-40GB"),
        .gpus    = gpus,
        .cpu     = host_cpu("EPYC-7V12")};
    join_all(node, "nvswitch", nvlink_port(300_GBps));
    add_nics(node, pcie4_port(), nic_port(25_GBps), nics);
    return node;
  };
  return {.name          = "ndv4_a100",
          .doc           = "Azure ND A100 v4: 8 A100-SXM4-40GB on NVSwitch, 8 x 200 Gb/s InfiniBand",
          .default_nodes = 2,
          .gpus          = {8, 1024},
          .nics          = {8, 1024},
          .build         = build,
          .domains       = true};
}

}  // namespace foreflow::platform::definitions::ndv4_a100
