// PCIe trees of a server, from how near its parts are to each other.
#pragma once

#include <string>
#include <vector>

#include "platform/imports/imports.h"

namespace foreflow::platform::imports {

// How two parts of a server reach each other, nearest first.
enum class Nearness : uint8_t {
  one_switch,     // PIX: at most one PCIe bridge
  some_switches,  // PXB: several bridges, no host bridge
  host_bridge,    // PHB: a host bridge, that is the CPU
  node,           // NODE: host bridges of one NUMA node
  system,         // SYS: the link between NUMA nodes
  unknown         // the file does not say, as of two GPUs with NVLink
};

// Accelerators and then cards.
struct Relations {
  std::vector<std::string> names;
  std::vector<std::vector<Nearness>> nearness;  // [a][b], symmetrical
};

// Adds the switches and links of the smallest tree with these relations: a switch for each group that is joined at a
// level, and a root complex for each NUMA node, every two of which are joined.
//
//   gpu0 gpu1 nic0    gpu2 nic1        gpu0, gpu1, nic0: PIX; gpu2, nic1: PIX
//      \  |  /           \  /          gpu0, gpu2: PHB
//       pcie0           pcie1
//           \           /
//              host0 ------ socket0 ==== socket1 ...
//
// Returns the vertex of each part's own switch: where copies to it end. Throws Error when two relations contradict.
struct Tree {
  std::vector<int> roots;  // vertices of the root complexes
};
Tree add_pcie_tree(Node& node, const Relations& relations, const Port& pcie, const Port& nic, const Text& text);

}  // namespace foreflow::platform::imports
