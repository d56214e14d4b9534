#include "platform/nodes/ports.h"
#include "platform/nodes/sheets.h"
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
      .gpu     = sheet("A10-24GB"),
      .gpus    = gpus};
  const std::vector<int> roots = join_below_switches(node, kGpusPerSwitch, pcie4_port(), upi_port());
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
