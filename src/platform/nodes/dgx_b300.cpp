#include "platform/nodes/ports.h"
#include "platform/nodes/sheets.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::definitions::dgx_b300 {

TopologyDef row() {
  const auto build = [](int gpus, int nics) {
    Node node = {
        .title = "NVIDIA DGX B300",
        .sources =
            {"nodes: 8 B300 on 2 NVSwitch chips of the fifth generation, which reduce (NVIDIA DGX B300 data sheet, "
             "resources.nvidia.com/en-us-dgx-systems/dgx-b300-datasheet)",
             "nic: 8 ConnectX-8 of 800 Gb/s, one per GPU (nvidia.com/en-us/data-center/dgx-b300)",
             "nvlink: 900 GB/s per direction (stas00/ml-engineering network/README.md)", kPcie6Source,
             "cpu: 2 Xeon 6776P (DGX B300 user guide)", kLatencySource},
        .gpu  = sheet("B300-288GB"),
        .gpus = gpus,
        .cpu  = host_cpu("Xeon-6776P")};
    join_all(node, "nvswitch", nvlink_port(900_GBps));
    add_nics(node, pcie6_port(), nic_port(100_GBps), nics);
    node.nvls = true;
    return node;
  };
  return {.name          = "dgx_b300",
          .doc           = "DGX B300: 8 B300-288GB on NVSwitch, 8 x 800 Gb/s InfiniBand",
          .default_nodes = 1,
          .gpus          = {8, 1024},
          .nics          = {8, 1024},
          .build         = build,
          .domains       = true};
}

}  // namespace foreflow::platform::definitions::dgx_b300
