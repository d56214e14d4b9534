// Translates a collective among devices of a platform into the terms of collective algorithms: nodes, rails, rings, and
// the latency and bandwidth of messages inside and between nodes.
#pragma once

#include <vector>

#include "foreflow/collective/collective.h"
#include "foreflow/platform/platform.h"

namespace foreflow::stream {

struct Placed {
  collective::Task task;
  std::vector<int> places;  // index into platform.devices() of each rank, then of each relay
  // The algorithm that runs: collective::usable on the links of the platform.
  const collective::AlgorithmDef* algorithm = nullptr;
};

// The properties of a group of devices on the platform, which are the same for all that the group communicates.
struct Ground {
  collective::Group group;  // without relays
  collective::Wire near, far;
};
Ground survey(const platform::Platform& platform, const std::vector<int>& places);

// Describes a collective whose rank r is the platform device places[r]. `algorithm` tells whether relays are wanted.
//   1. Node: devices with equal Device::node.
//   2. Rail: devices of a node whose messages leave it over the same link of kind `nic`; without such links, over the
//      same first link.
//   3. Near wire: the slowest route between neighbours when the members of each node are visited in turn. Where rings
//      inside a node have links of their own (NVLink without a switch), it has the bandwidth of all rings together.
//   4. Far wire: the slowest route from a member to a member of the next node.
//   5. When all members are in one node, or each in a node of its own, both wires are the same.
// Pairs of members without a route are ignored here; a flow that needs such a route throws Error later.
Placed place(const platform::Platform& platform, const collective::AlgorithmDef& algorithm, collective::Kind kind,
             Bytes bytes, const std::vector<int>& places);
// The same where the ground is known.
Placed place(const platform::Platform& platform, const collective::AlgorithmDef& algorithm, collective::Kind kind,
             Bytes bytes, const std::vector<int>& places, const Ground& ground);

// Closed form of an algorithm on the links of the platform, between the devices of `placed`, with the network to
// itself.
collective::Cost closed_form(const platform::Platform& platform, const Placed& placed,
                             const collective::AlgorithmDef& algorithm);

}  // namespace foreflow::stream
