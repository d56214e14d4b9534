#include "platform/nodes/ports.h"
#include "platform/nodes/sheets.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::definitions::gb300_nvl72 {

TopologyDef row() {
  const auto build = [](int gpus, int nics) {
    Node node = {.title   = "NVIDIA GB300 NVL72, one node for each rack",
                 .sources = {"nodes: 72 GPUs in 18 trays of 4, one NVLink domain over 9 switch trays "
                             "(nvidia.com/en-us/data-center/gb300-nvl72)",
                             "nic: 4 ConnectX-8 of 800 Gb/s in each tray, one per GPU "
                             "(learn.microsoft.com nd-gb300-v6-series)",
                             "nvlink: 900 GB/s per direction (stas00/ml-engineering network/README.md)", kPcie6Source,
                             "cpu: a Grace for two GPUs (DGX GB300 data sheet)", kLatencySource},
                 .gpu     = sheet("GB300-288GB"),
                 .gpus    = gpus,
                 .cpu     = host_cpu("Grace")};
    join_all(node, "nvswitch", nvlink_port(900_GBps));
    add_nics(node, pcie6_port(), nic_port(100_GBps), nics);
    node.nvls = true;
    return node;
  };
  return {.name          = "gb300_nvl72",
          .doc           = "GB300 NVL72: racks of 72 GB300 in one NVLink domain, 72 x 800 Gb/s InfiniBand",
          .default_nodes = 1,
          .gpus          = {72, 1024},
          .nics          = {72, 1024},
          .build         = build,
          .domains       = true};
}

}  // namespace foreflow::platform::definitions::gb300_nvl72
