#include "platform/blueprint.h"
#include "platform/link_units.h"
#include "platform/nodes/sheets.h"

namespace foreflow::platform::definitions::tpu_v5p {

// A node is a chip: its router is the switch of the torus, which six links leave.
//
//   node0-gpu0 --ici--> switch0 --fabric--> switch1 --ici--> node1-gpu0
TopologyDef row() {
  const auto build = [](int gpus, int /*nics*/) {
    Node node = {
        .title   = "Google TPU v5p, one node for each chip",
        .sources = {"fabric: six links of 100 GB/s per direction to the neighbours of a chip in the torus, 600 "
                    "GB/s together (cloud.google.com/tpu/docs/v5p: 4,800 Gb/s, or 1,200 GB/s both ways; "
                    "jax-ml.github.io/scaling-book has 90 a link)",
                    "  a slice smaller than 4 chips in a direction has no way around in hardware; here it has",
                    "nic: the chip to its own router, all six links together",
                    "latencies: 1 us from chip to neighbour (jax-ml.github.io/scaling-book), an assumption"},
        .gpu     = sheet("TPU-v5p-95GB"),
        .gpus    = gpus};
    node.nics.push_back({"ici", {"nic", 600_GBps, 425_ns}, 0});
    node.torus_cable = 100_GBps;
    return node;
  };
  return {.name          = "tpu_v5p",
          .doc           = "TPU v5p: chips of 95 GB in a 3-D torus, six links of 100 GB/s each",
          .default_nodes = 64,
          .gpus          = {1, 1},
          .nics          = {1, 1},
          .build         = build,
          .fabric        = "torus3d"};
}

}  // namespace foreflow::platform::definitions::tpu_v5p
