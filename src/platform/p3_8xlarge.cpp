#include "foreflow/platform/topologies.h"
#include "platform/nccl_latency.h"
#include "platform/servers.h"

namespace foreflow::platform::definitions {

TopologyDef p3_8xlarge() {
  const auto write = [](int nodes) {
    return write_servers(
        {.title   = "AWS p3.8xlarge",
         .sources = {"nodes: 4 V100-16GB, NVLink 200 GB/s per GPU in both directions together, one network card of 10 "
                     "Gb/s (AWS P3 launch post)",
                     "f16 125, f32 15.7, f64 7.8 TFLOP/s: V100 SXM2 "
                     "(developer.nvidia.com/programming-tensor-cores-cuda-9-0; AWS P3 launch post)",
                     "memory: 16 GB; 900 GB/s (NCCL topology file in JF-D/Proteus)",
                     "nvlink: 100 GB/s per direction and GPU. The real mesh joins pairs by one or two links of 25 "
                     "GB/s; this is their sum",
                     "pcie: PCIe 3 x16, half of the 31 GB/s of PCIe 4 x16 (stas00/ml-engineering network/README.md)",
                     "launch: 10 us, the default of DistIR", kLatencySource},
         .gpu     = {.kind             = "V100-SXM2-16GB",
                     .memory           = "16GB",
                     .memory_bandwidth = "900GBps",
                     .launch           = "10us",
                     .peaks            = {{"f32", "15.7Tf"}, {"f16", "125Tf"}, {"f64", "7.8Tf"}}},
         .gpus    = 4,
         .nvlink  = {"nvlink", "100GBps", kNvlinkLatency},
         .pcie    = {"pcie", "15.5GBps", kPcieLatency},
         .nic     = {},
         .uplink  = {"nic", "1.25GBps", kNicLatency}},
        nodes);
  };
  return {"p3_8xlarge", "AWS p3.8xlarge: 4 V100-SXM2-16GB on NVLink, one 10 Gb/s card", 4, write};
}

}  // namespace foreflow::platform::definitions
