// A collective among devices of a platform, as the algorithms see it: the nodes that the ranks sit in, the rings
// through them and how a message travels inside and between them.
#pragma once

#include <vector>

#include "foreflow/collective/collective.h"
#include "foreflow/platform/platform.h"

namespace foreflow::stream {

struct Placed {
  collective::Task task;
  std::vector<int> places;  // index into platform.devices() of each rank, then of each relay
  // That runs: as collective::usable says for the links of the platform.
  const collective::AlgorithmDef* algorithm = nullptr;
};

// `places[rank]` is an index into platform.devices(); `algorithm` says whether relays are wanted. Devices of one
// Device::node share a node, and those whose messages leave it over one link of the kind `nic` (if there is none, over
// one first link) share a rail. The wires are the slowest of the routes once around each node's members and from each
// member to one of the next node; where all sit in one node, or one in each, both wires are the same. Where rings
// inside a node have links of their own (NVLink without a switch), the near wire is all of them together. Members
// without a route to each other are passed over: a flow that needs the route will say so.
Placed place(const platform::Platform& platform, const collective::AlgorithmDef& algorithm, collective::Kind kind,
             Bytes bytes, const std::vector<int>& places);

// What an algorithm costs alone on the links of the platform, between the devices of `placed`.
collective::Cost closed_form(const platform::Platform& platform, const Placed& placed,
                             const collective::AlgorithmDef& algorithm);

}  // namespace foreflow::stream
