#include "platform/nodes/ports.h"
#include "platform/nodes/sheets.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::definitions::p3_8xlarge {

TopologyDef row() {
  const auto build = [](int gpus, int nics) {
    Node node = {
        .title = "AWS p3.8xlarge",
        .sources =
            {"nodes: 4 V100-16GB, NVLink 200 GB/s in both directions together, one 10 Gb/s card (AWS P3 launch post)",
             "nvlink: 100 GB/s per direction and GPU; the mesh of pairwise links is modelled by its sum", kPcie3Source,
             "cpu: Xeon E5-2686 v4 (docs.aws.amazon.com/ec2/latest/instancetypes/ac.html P3)", kLatencySource},
        .gpu  = sheet("V100-SXM2-16GB"),
        .gpus = gpus,
        .cpu  = host_cpu("Xeon-E5-2686v4")};
    join_all(node, "nvlinks", nvlink_port(100_GBps));
    add_nics(node, pcie3_port(), nic_port(1.25_GBps), nics);
    return node;
  };
  return {.name          = "p3_8xlarge",
          .doc           = "AWS p3.8xlarge: 4 V100-SXM2-16GB on NVLink, one 10 Gb/s card",
          .default_nodes = 4,
          .gpus          = {4, 1024},
          .nics          = {1, 1024},
          .build         = build};
}

}  // namespace foreflow::platform::definitions::p3_8xlarge
