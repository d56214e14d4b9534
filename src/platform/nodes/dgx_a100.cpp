#include "platform/nodes/ports.h"
#include "platform/nodes/sheets.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::definitions::dgx_a100 {

TopologyDef row() {
  const auto build = [](int gpus, int nics) {
    Node node = {.title   = "NVIDIA DGX A100",
                 .sources = {"nodes: 8 A100 on 6 NVSwitch chips (jingchaozhang.github.io/A100-white-paper)",
                             "nic: 8 x 200 Gb/s HDR InfiniBand, one per GPU (Selene, arXiv 2104.04473 section 5)",
                             "nvlink: 300 GB/s per direction (stas00/ml-engineering network/README.md)", kPcie4Source,
                             "cpu: 2 EPYC 7742 (DGX A100 user guide)", kLatencySource},
                 .gpu     = sheet("A100-SXM4-80GB"),
                 .gpus    = gpus,
                 .cpu     = host_cpu("EPYC-7742")};
    join_all(node, "nvswitch", nvlink_port(300_GBps));
    add_nics(node, pcie4_port(), nic_port(25_GBps), nics);
    return node;
  };
  return {.name          = "dgx_a100",
          .doc           = "DGX A100: 8 A100-SXM4-80GB on NVSwitch, 8 x 200 Gb/s InfiniBand",
          .default_nodes = 1,
          .gpus          = {8, 1024},
          .nics          = {8, 1024},
          .build         = build,
          .domains       = true};
}

}  // namespace foreflow::platform::definitions::dgx_a100
