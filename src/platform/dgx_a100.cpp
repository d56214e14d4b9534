#include "foreflow/platform/topologies.h"
#include "platform/nccl_latency.h"
#include "platform/servers.h"

namespace foreflow::platform::definitions {

TopologyDef dgx_a100() {
  const auto write = [](int nodes) {
    const Gpu a100 = {.kind             = "A100-SXM4-80GB",
                      .memory           = "80GB",
                      .memory_bandwidth = "2.039TBps",
                      .launch           = "10us",
                      .peaks            = {{"f32", "19.5Tf"}, {"f16", "312Tf"}, {"bf16", "312Tf"}, {"tf32", "156Tf"}}};
    return write_servers(
        {.title        = "NVIDIA DGX A100",
         .sources      = {"nodes: 8 A100 on 6 NVSwitch chips (jingchaozhang.github.io/A100-white-paper)",
                          "nic: 8 x 200 Gb/s HDR InfiniBand, one per GPU (Selene, arXiv 2104.04473 section 5)",
                          "peaks: A100 SXM, dense (stas00/ml-engineering compute/accelerator/README.md)",
                          "memory: 80 GB (same file); 2.039 TB/s (ai-dynamo/aiconfigurator systems/a100_sxm.yaml)",
                          "nvlink: 300 GB/s per direction (stas00/ml-engineering network/README.md)",
                          "pcie: PCIe 4 x16, 31 GB/s (stas00/ml-engineering network/README.md)",
                          "fabric: the node's 8 ports together, 8 x 25 GB/s, so it never limits before the NICs do",
                          "launch: 10 us, the default of DistIR", kLatencySource},
         .gpu          = a100,
         .gpus         = 8,
         .nvlink       = {"nvlink", "300GBps", kNvlinkLatency},
         .pcie         = {"pcie", "31GBps", kPcieLatency},
         .nic          = Port{"nic", "25GBps", kNicLatency},
         .gpus_per_nic = 1,
         .uplink       = {"fabric", "200GBps", "0us"}},
        nodes);
  };
  return {"dgx_a100", "DGX A100: 8 A100-SXM4-80GB on NVSwitch, 8 x 200 Gb/s InfiniBand", 1, write};
}

}  // namespace foreflow::platform::definitions
