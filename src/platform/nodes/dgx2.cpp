#include "platform/nodes/ports.h"
#include "platform/nodes/sheets.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::definitions::dgx2 {

TopologyDef row() {
  const auto build = [](int gpus, int nics) {
    Node node = {
        .title = "NVIDIA DGX-2",
        .sources =
            {"nodes: 16 V100-32GB, 12 NVSwitch; 8 EDR InfiniBand of 100 Gb/s, two GPUs to one (pcper.com 2018-03)",
             "nvlink: 6 links x 25 GB/s = 150 GB/s per direction (stas00/ml-engineering network/README.md)",
             kPcie3Source, "cpu: 2 Xeon Platinum 8168 (DGX-2 user guide)", kLatencySource},
        .gpu  = sheet("V100-SXM3-32GB"),
        .gpus = gpus,
        .cpu  = host_cpu("Xeon-8168")};
    join_all(node, "nvswitch", nvlink_port(150_GBps));
    add_nics(node, pcie3_port(), nic_port(12.5_GBps), nics);
    return node;
  };
  return {.name          = "dgx2",
          .doc           = "DGX-2: 16 V100-SXM3-32GB on NVSwitch, 8 x 100 Gb/s InfiniBand",
          .default_nodes = 1,
          .gpus          = {16, 1024},
          .nics          = {8, 1024},
          .build         = build,
          .domains       = true};
}

}  // namespace foreflow::platform::definitions::dgx2
