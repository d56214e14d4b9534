#include "platform/nodes/ports.h"
#include "platform/nodes/sheets.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::definitions::dgx_h100 {

TopologyDef row() {
  const auto build = [](int gpus, int nics) {
    Node node = {.title   = "NVIDIA DGX H100",
                 .sources = {"nodes: 8 H100 on 4 NVSwitch chips of the third generation, which reduce "
                             "(stas00/ml-engineering network/README.md)",
                             "nic: 8 ConnectX-7 of 400 Gb/s, one per GPU (docs.nvidia.com/dgx-basepod core-components)",
                             "nvlink: 450 GB/s per direction (stas00/ml-engineering network/README.md)", kPcie5Source,
                             "cpu: 2 Xeon Platinum 8480C (DGX H100 user guide)", kLatencySource},
                 .gpu     = sheet("H100-SXM5-80GB"),
                 .gpus    = gpus,
                 .cpu     = host_cpu("Xeon-8480C")};
    join_all(node, "nvswitch", nvlink_port(450_GBps));
    add_nics(node, pcie5_port(), nic_port(50_GBps), nics);
    node.nvls = true;
    return node;
  };
  return {.name          = "dgx_h100",
          .doc           = "DGX H100: 8 H100-SXM5-80GB on NVSwitch, 8 x 400 Gb/s InfiniBand",
          .default_nodes = 1,
          .gpus          = {8, 1024},
          .nics          = {8, 1024},
          .build         = build,
          .domains       = true};
}

}  // namespace foreflow::platform::definitions::dgx_h100
