#include "platform/nodes/ports.h"
#include "platform/nodes/sheets.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::definitions::p4d {

TopologyDef row() {
  const auto build = [](int gpus, int nics) {
    Node node = {.title   = "AWS p4d.24xlarge",
                 .sources = {"nodes: 8 A100-40GB on NVSwitch; 4 EFA of 100 Gb/s, two GPUs to one "
                             "(stas00/ml-engineering network/README.md)",
                             "nvlink: 300 GB/s per direction (stas00/ml-engineering network/README.md)", kPcie4Source,
                             "cpu: 2 Xeon Platinum 8275CL (docs.aws.amazon.com/ec2/latest/instancetypes/ac.html P4)",
                             kLatencySource},
                 .gpu     = sheet("A100-SXM4-40GB"),
                 .gpus    = gpus,
                 .cpu     = host_cpu("Xeon-8275CL")};
    join_all(node, "nvswitch", nvlink_port(300_GBps));
    add_nics(node, pcie4_port(), nic_port(12.5_GBps), nics);
    return node;
  };
  return {.name          = "p4d",
          .doc           = "AWS p4d.24xlarge: 8 A100-SXM4-40GB on NVSwitch, 4 x 100 Gb/s EFA",
          .default_nodes = 2,
          .gpus          = {8, 1024},
          .nics          = {4, 1024},
          .build         = build,
          .domains       = true};
}

}  // namespace foreflow::platform::definitions::p4d
