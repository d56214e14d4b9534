// The orders in which rings go around devices: NVLink first, and between nodes one crossing a rail.
#pragma once

#include <vector>

#include "foreflow/platform/platform.h"

namespace foreflow::stream {

// Rings around some devices, as indices into these, and the route of every hop, ring by ring; a ring of one has none.
struct Rings {
  std::vector<std::vector<int>> orders;
  std::vector<platform::Route> hops;
};

// Rings through the devices of one node, each for an equal part of the bytes: once around in the order of the devices,
// or, where devices are joined by links of their own and not by a switch, as many and as fast as the links allow.
// `devices` are indices into platform.devices().
Rings rings_in_node(const platform::Platform& platform, const std::vector<int>& devices);

// Rings through several nodes, a channel for each rail that all nodes have. `nodes[i]` lists the ranks of a node in the
// order of its ring, `rail[rank]` the rails by node. Even nodes are entered on the channel's rail and left on the one
// before it, odd nodes the other way round, so that each crossing stays on its rail and no two channels share a NIC:
//
//   channel 0   node 0: 0 1 2 3   node 1: 7 6 5 4      crossings 3>7 on rail 3, 4>0 on rail 0
//   channel 1   node 0: 1 2 3 0   node 1: 4 7 6 5      crossings 0>4 on rail 0, 5>1 on rail 1
std::vector<std::vector<int>> rings_between(const std::vector<std::vector<int>>& nodes, const std::vector<int>& rail);

}  // namespace foreflow::stream
