#include "foreflow/platform/topologies.h"
#include "platform/nccl_latency.h"
#include "platform/servers.h"

namespace foreflow::platform::definitions {

TopologyDef dgx2() {
  const auto write = [](int nodes) {
    const Gpu v100 = {.kind             = "V100-SXM3-32GB",
                      .memory           = "32GB",
                      .memory_bandwidth = "900GBps",
                      .launch           = "10us",
                      .peaks            = {{"f32", "15.7Tf"}, {"f16", "125Tf"}, {"f64", "7.8Tf"}}};
    return write_servers(
        {.title = "NVIDIA DGX-2",
         .sources =
             {"nodes: 16 V100-32GB, 12 NVSwitch; 8 EDR InfiniBand of 100 Gb/s, two GPUs to one (pcper.com 2018-03)",
              "peaks: V100 (developer.nvidia.com/programming-tensor-cores-cuda-9-0; AWS P3 launch post)",
              "memory: 32 GB; 14.4 TB/s over 16 GPUs = 900 GB/s each (gamersnexus.net/news-pc/3270)",
              "nvlink: 6 links x 25 GB/s = 150 GB/s per direction (stas00/ml-engineering network/README.md)",
              "pcie: PCIe 3 x16, half of the 31 GB/s of PCIe 4 x16 (stas00/ml-engineering network/README.md)",
              "fabric: the node's 8 ports together, 8 x 12.5 GB/s, so it never limits before the NICs do",
              "launch: 10 us, the default of DistIR", kLatencySource},
         .gpu          = v100,
         .gpus         = 16,
         .nvlink       = {"nvlink", "150GBps", kNvlinkLatency},
         .pcie         = {"pcie", "15.5GBps", kPcieLatency},
         .nic          = Port{"nic", "12.5GBps", kNicLatency},
         .gpus_per_nic = 2,
         .uplink       = {"fabric", "100GBps", "0us"}},
        nodes);
  };
  return {"dgx2", "DGX-2: 16 V100-SXM3-32GB on NVSwitch, 8 x 100 Gb/s InfiniBand", 1, write};
}

}  // namespace foreflow::platform::definitions
