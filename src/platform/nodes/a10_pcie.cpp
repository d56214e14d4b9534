#include <fmt/core.h>

#include <algorithm>

#include "platform/nodes/gpus.h"
#include "platform/nodes/ports.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::definitions::a10_pcie {
namespace {

constexpr int kGpusPerSwitch = 4;

// Four GPUs below a PCIe switch, whose uplink to the root complex they share.
Node build(int gpus, int nics) {
  Node node = {
      .title   = "Server of A10 on PCIe",
      .sources = {"nodes: 4 A10 to a server (DistSim, Lu et al. 2023, section 6) below one PCIe switch, an assumption",
                  "nic: one of 100 Gb/s on the first socket, an assumption: the paper does not name it", kPcie4Source,
                  kUpiSource, kLatencySource},
      .gpu     = a10(),
      .gpus    = gpus};
  const int switches = (gpus + kGpusPerSwitch - 1) / kGpusPerSwitch;
  const int sockets  = std::min(2, switches);
  std::vector<int> roots;
  for (int s = 0; s < sockets; ++s) roots.push_back(add_switch(node, fmt::format("socket{}", s)));
  for (int s = 0; s < switches; ++s) {
    const int place = add_switch(node, fmt::format("pcie{}", s));
    connect(node, fmt::format("pcie{}-uplink", s), uplink(pcie4_port()), place,
            roots[static_cast<size_t>(s * sockets / switches)]);
    for (int i = s * kGpusPerSwitch; i < std::min(gpus, (s + 1) * kGpusPerSwitch); ++i)
      connect(node, fmt::format("gpu{}-pcie", i), pcie4_port(), i, place);
  }
  if (sockets > 1) connect(node, "upi", upi_port(), roots[0], roots[1]);
  plug_nics(node, roots, pcie4_port(), nic_port(12.5_GBps), nics);
  return node;
}

}  // namespace

TopologyDef row() {
  return {.name          = "a10_pcie",
          .doc           = "servers of 4 A10-24GB below one PCIe switch, one 100 Gb/s NIC",
          .default_nodes = 4,
          .gpus          = {4, 1024},
          .nics          = {1, 1024},
          .build         = build};
}

}  // namespace foreflow::platform::definitions::a10_pcie
