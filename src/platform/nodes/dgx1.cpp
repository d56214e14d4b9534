#include <fmt/core.h>

#include <array>

#include "foreflow/base/nth.h"
#include "platform/nodes/ports.h"
#include "platform/nodes/sheets.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::definitions::dgx1 {
namespace {

struct Pair {
  int a, b, links;
};

// The hybrid cube mesh: two squares of four GPUs with their diagonals, and an edge between the squares for each GPU.
// Each GPU has six links of 25 GB/s.
constexpr std::array<Pair, 16> kMesh = {{{0, 1, 1},
                                         {0, 2, 1},
                                         {0, 3, 2},
                                         {0, 4, 2},
                                         {1, 2, 2},
                                         {1, 3, 1},
                                         {1, 5, 2},
                                         {2, 3, 2},
                                         {2, 6, 1},
                                         {3, 7, 1},
                                         {4, 5, 1},
                                         {4, 6, 1},
                                         {4, 7, 2},
                                         {5, 6, 2},
                                         {5, 7, 1},
                                         {6, 7, 2}}};

Node build(int gpus, int nics) {
  Node node = {
      .title = "NVIDIA DGX-1 with V100",
      .sources =
          {"nodes: two GPUs and a NIC below each PCIe switch, two switches to a socket; 4 x 100 Gb/s InfiniBand; the "
           "NVLinks",
           "  of the pairs: nvidia-smi topo of a DGX-1 (Oneflow-Inc/DLPerf README; anandtech 12581)",
           "nvlink: 25 GB/s each way and link (stas00/ml-engineering network/README.md); pairs without a link use PCIe",
           "nic: EDR, 12.5 GB/s (stas00/ml-engineering network/README.md)", kPcie3Source,
           "host: two QPI links of 9.6 GT/s between the sockets, 2 x 19.2 GB/s (xryan.net/p/295)",
           "cpu: 2 Xeon E5-2698 v4 (DGX-1 user guide)", kLatencySource},
      .gpu  = sheet("V100-SXM2-32GB"),
      .gpus = gpus,
      .cpu  = host_cpu("Xeon-E5-2698v4")};
  for (const Pair& pair : kMesh) {
    if (pair.b >= gpus) continue;
    connect(node, fmt::format("gpu{}-gpu{}", pair.a, pair.b),
            {"nvlink", pair.links == 2 ? 50_GBps : 25_GBps, kDirectLatency}, pair.a, pair.b);
  }
  const int switches = (gpus + 1) / 2, sockets = (switches + 1) / 2;
  std::vector<int> places, roots;
  for (int s = 0; s < switches; ++s) places.push_back(add_switch(node, fmt::format("pcie{}", s)));
  for (int s = 0; s < sockets; ++s) roots.push_back(add_switch(node, fmt::format("socket{}", s)));
  for (int i = 0; i < gpus; ++i) connect(node, fmt::format("gpu{}-pcie", i), pcie3_port(), i, nth(places, i / 2));
  for (int s = 0; s < switches; ++s) {
    connect(node, fmt::format("pcie{}-uplink", s), uplink(pcie3_port()), nth(places, s), nth(roots, s / 2));
  }
  if (sockets > 1) connect(node, "qpi", {"host", 38.4_GBps, 0_us}, roots[0], roots[1]);
  plug_nics(node, places, pcie3_port(), nic_port(12.5_GBps), nics);
  return node;
}

}  // namespace

TopologyDef row() {
  return {.name          = "dgx1",
          .doc           = "DGX-1: 8 V100-SXM2-32GB in a hybrid cube mesh of NVLinks, 4 x 100 Gb/s InfiniBand",
          .default_nodes = 1,
          .gpus          = {8, 8},
          .nics          = {4, 4},
          .build         = build};
}

}  // namespace foreflow::platform::definitions::dgx1
