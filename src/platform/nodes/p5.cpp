#include "platform/nodes/ports.h"
#include "platform/nodes/sheets.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::definitions::p5 {

TopologyDef row() {
  const auto build = [](int gpus, int nics) {
    Node node = {
        .title   = "AWS p5.48xlarge",
        .sources = {"nodes: 8 H100 on NVSwitch; 32 EFA of 100 Gb/s, 400 GB/s together (stas00/ml-engineering "
                    "network/README.md)",
                    "nic: the four EFA cards of a GPU are one port of 50 GB/s, as its network library stripes "
                    "every message over them",
                    "nvlink: 450 GB/s per direction (stas00/ml-engineering network/README.md)", kPcie5Source,
                    "cpu: 2 EPYC 7R13 (docs.aws.amazon.com/ec2/latest/instancetypes/ac.html P5)", kLatencySource},
        .gpu     = sheet("H100-SXM5-80GB"),
        .gpus    = gpus,
        .cpu     = host_cpu("EPYC-7R13")};
    join_all(node, "nvswitch", nvlink_port(450_GBps));
    add_nics(node, pcie5_port(), nic_port(50_GBps), nics);
    node.nvls = true;
    return node;
  };
  return {.name          = "p5",
          .doc           = "AWS p5.48xlarge: 8 H100-SXM5-80GB on NVSwitch, 8 x 4 x 100 Gb/s EFA",
          .default_nodes = 2,
          .gpus          = {8, 1024},
          .nics          = {8, 1024},
          .build         = build,
          .domains       = true};
}

}  // namespace foreflow::platform::definitions::p5
