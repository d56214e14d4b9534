#include "platform/nodes/ports.h"
#include "platform/nodes/sheets.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::definitions::gb200_nvl72 {

TopologyDef row() {
  const auto build = [](int gpus, int nics) {
    Node node = {
        .title   = "NVIDIA GB200 NVL72, one node for each rack",
        .sources = {"nodes: 72 GPUs in 18 trays of 4, one NVLink domain over 9 switch trays "
                    "(setloop.io/blog/gb200-nvl72-architecture)",
                    "nic: 4 ConnectX-7 of 400 Gb/s in each tray, one per GPU "
                    "(docs.nvidia.com/dgx/dgxgb200-user-guide hardware)",
                    "nvlink: 900 GB/s per direction (stas00/ml-engineering network/README.md)", kPcie5Source,
                    "cpu: a Grace for two GPUs (docs.nvidia.com/dgx/dgxgb200-user-guide hardware)", kLatencySource},
        .gpu     = sheet("GB200-186GB"),
        .gpus    = gpus,
        .cpu     = host_cpu("Grace")};
    join_all(node, "nvswitch", nvlink_port(900_GBps));
    add_nics(node, pcie5_port(), nic_port(50_GBps), nics);
    node.nvls = true;
    return node;
  };
  return {.name          = "gb200_nvl72",
          .doc           = "GB200 NVL72: racks of 72 GB200 in one NVLink domain, 72 x 400 Gb/s InfiniBand",
          .default_nodes = 1,
          .gpus          = {72, 1024},
          .nics          = {72, 1024},
          .build         = build,
          .domains       = true};
}

}  // namespace foreflow::platform::definitions::gb200_nvl72
