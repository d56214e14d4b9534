#include "foreflow/platform/topologies.h"
#include "platform/nccl_latency.h"
#include "platform/servers.h"

namespace foreflow::platform::definitions {

TopologyDef p3_8xlarge() {
  const auto write = [](int nodes) {
    const Gpu v100 = {.kind             = "V100-SXM2-16GB",
                      .memory           = "16GB",
                      .memory_bandwidth = "900GBps",
                      .launch           = "10us",
                      .peaks            = {{"f32", "15.7Tf"}, {"f16", "125Tf"}, {"f64", "7.8Tf"}}};
    return write_servers(
        {.title = "AWS p3.8xlarge",
         .sources =
             {"nodes: 4 V100-16GB, NVLink 200 GB/s in both directions together, one 10 Gb/s card (AWS P3 launch post)",
              "peaks: V100 (developer.nvidia.com/programming-tensor-cores-cuda-9-0; AWS P3 launch post)",
              "memory: 16 GB; 900 GB/s (NCCL topology file in JF-D/Proteus)",
              "nvlink: 100 GB/s per direction and GPU; the mesh of pairwise links is modelled by its sum",
              "pcie: PCIe 3 x16, half of the 31 GB/s of PCIe 4 x16 (stas00/ml-engineering network/README.md)",
              "launch: 10 us, the default of DistIR", kLatencySource},
         .gpu    = v100,
         .gpus   = 4,
         .nvlink = {"nvlink", "100GBps", kNvlinkLatency},
         .pcie   = {"pcie", "15.5GBps", kPcieLatency},
         .nic    = {},
         .uplink = {"nic", "1.25GBps", kNicLatency}},
        nodes);
  };
  return {"p3_8xlarge", "AWS p3.8xlarge: 4 V100-SXM2-16GB on NVLink, one 10 Gb/s card", 4, write};
}

}  // namespace foreflow::platform::definitions
