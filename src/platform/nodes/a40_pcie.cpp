#include <fmt/core.h>

#include <algorithm>

#include "foreflow/base/nth.h"
#include "platform/nodes/ports.h"
#include "platform/nodes/sheets.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::definitions::a40_pcie {
namespace {

// Half of the GPUs on the root complex of either socket; the first NIC on the first.
Node build(int gpus, int nics) {
  Node node         = {.title   = "Server of A40 on PCIe",
                       .sources = {"nodes: 4 A40 to a server (DistSim, Lu et al. 2023, section 5), two to a socket, an "
                                           "assumption; no NVLink bridges",
                                   "nic: one of 100 Gb/s on the first socket, an assumption: the paper does not name it",
                                   kPcie4Source, kUpiSource, kLatencySource},
                       .gpu     = sheet("A40-48GB"),
                       .gpus    = gpus};
  const int sockets = std::min(2, gpus);
  std::vector<int> roots;
  for (int s = 0; s < sockets; ++s) roots.push_back(add_switch(node, fmt::format("socket{}", s)));
  for (int i = 0; i < gpus; ++i)
    connect(node, fmt::format("gpu{}-pcie", i), pcie4_port(), i, nth(roots, i * sockets / gpus));
  if (sockets > 1) connect(node, "upi", upi_port(), roots[0], roots[1]);
  plug_nics(node, roots, pcie4_port(), nic_port(12.5_GBps), nics);
  return node;
}

}  // namespace

TopologyDef row() {
  return {.name          = "a40_pcie",
          .doc           = "servers of 4 A40-48GB on PCIe, two to a socket, one 100 Gb/s NIC",
          .default_nodes = 4,
          .gpus          = {4, 1024},
          .nics          = {1, 1024},
          .build         = build};
}

}  // namespace foreflow::platform::definitions::a40_pcie
