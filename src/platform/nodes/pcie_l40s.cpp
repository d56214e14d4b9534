#include "platform/nodes/ports.h"
#include "platform/nodes/sheets.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::definitions::pcie_l40s {
namespace {

constexpr int kGpusPerSwitch = 4;

// Four GPUs below a PCIe switch, whose uplink to the root complex they share.
Node build(int gpus, int nics) {
  Node node = {
      .title   = "Server of L40S on PCIe",
      .sources = {"nodes: 8 L40S, four below each of two PCIe switches, one to a socket; an assumption",
                  "nic: one of 200 Gb/s on each socket, an assumption", kPcie4Source, kUpiSource, kLatencySource},
      .gpu     = sheet("L40S-48GB"),
      .gpus    = gpus};
  const std::vector<int> roots = join_below_switches(node, kGpusPerSwitch, pcie4_port(), upi_port());
  plug_nics(node, roots, pcie4_port(), nic_port(25_GBps), nics);
  return node;
}

}  // namespace

TopologyDef row() {
  return {.name          = "pcie_l40s",
          .doc           = "servers of 8 L40S-48GB, four below each of two PCIe switches, 2 x 200 Gb/s NICs",
          .default_nodes = 4,
          .gpus          = {8, 1024},
          .nics          = {2, 1024},
          .build         = build};
}

}  // namespace foreflow::platform::definitions::pcie_l40s
