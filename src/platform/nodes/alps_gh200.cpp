#include <fmt/core.h>

#include "platform/nodes/ports.h"
#include "platform/nodes/sheets.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::definitions::alps_gh200 {
namespace {

// The NVLinks of a GPU are shared out evenly among the others of its node; each GPU has a Grace of its own, with the
// NICs.
//
//   grace0 --c2c-- gpu0 ==== gpu1 --c2c-- grace1
//     |             || \\  // ||             |
//    nic            || //  \\ ||            nic
//   grace2 --c2c-- gpu2 ==== gpu3 --c2c-- grace3
Node build(int gpus, int nics) {
  Node node = {
      .title = "Node of Alps: Grace Hopper superchips",
      .sources =
          {"nodes: 4 GH200, all pairs of GPUs joined by NVLink; a 200 Gb/s Slingshot-11 NIC for each (docs.cscs.ch "
           "alps/hardware)",
           "nvlink: 18 links of 25 GB/s each way, six for each of three other GPUs: 150 GB/s (arXiv 2408.11556)",
           "host: NVLink-C2C, 450 GB/s each way (arXiv 2408.11556)",
           "cpu: a Grace for each GPU (docs.cscs.ch alps/hardware)", kLatencySource},
      .gpu  = sheet("GH200-96GB"),
      .gpus = gpus,
      .cpu  = host_cpu("Grace")};
  const BytesPerSecond of_pair = gpus > 1 ? 450_GBps / static_cast<double>(gpus - 1) : 450_GBps;
  join_pairs(node, {"nvlink", of_pair, kDirectLatency});
  std::vector<int> graces;
  for (int i = 0; i < gpus; ++i) {
    graces.push_back(add_switch(node, fmt::format("grace{}", i)));
    connect(node, fmt::format("gpu{}-c2c", i), {"host", 450_GBps, kPcieLatency}, i, graces.back());
  }
  plug_nics(node, graces, pcie5_port(), nic_port(25_GBps), nics);
  return node;
}

}  // namespace

TopologyDef row() {
  return {.name          = "alps_gh200",
          .doc           = "Alps: 4 GH200-96GB, all pairs on NVLink, 4 x 200 Gb/s Slingshot",
          .default_nodes = 1,
          .gpus          = {4, 32},
          .nics          = {4, 1024},
          .build         = build};
}

}  // namespace foreflow::platform::definitions::alps_gh200
