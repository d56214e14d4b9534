#include "platform/nodes/ports.h"
#include "platform/nodes/sheets.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::definitions::dgx_b200 {

TopologyDef row() {
  const auto build = [](int gpus, int nics) {
    Node node = {
        .title = "NVIDIA DGX B200",
        .sources =
            {"nodes: 8 B200 on 2 NVSwitch chips of the fifth generation, which reduce (NVIDIA DGX B200 data sheet, "
             "resources.nvidia.com/en-us-dgx-systems/dgx-b200-datasheet)",
             "nic: 8 ConnectX-7 of 400 Gb/s, one per GPU (docs.nvidia.com/dgx-basepod core-components)",
             "nvlink: 900 GB/s per direction (stas00/ml-engineering network/README.md)", kPcie5Source,
             "cpu: 2 Xeon Platinum 8570 (DGX B200 user guide)", kLatencySource},
        .gpu  = sheet("B200-180GB"),
        .gpus = gpus,
        .cpu  = host_cpu("Xeon-8570")};
    join_all(node, "nvswitch", nvlink_port(900_GBps));
    add_nics(node, pcie5_port(), nic_port(50_GBps), nics);
    node.nvls = true;
    return node;
  };
  return {.name          = "dgx_b200",
          .doc           = "DGX B200: 8 B200-180GB on NVSwitch, 8 x 400 Gb/s InfiniBand",
          .default_nodes = 1,
          .gpus          = {8, 1024},
          .nics          = {8, 1024},
          .build         = build,
          .domains       = true};
}

}  // namespace foreflow::platform::definitions::dgx_b200
