// Steps that several node recipes share. Each adds to the node; GPUs and NICs are spread evenly.
#pragma once

#include <string>
#include <vector>

#include "platform/blueprint.h"

namespace foreflow::platform {

// Returns the vertex of a new switch.
int add_switch(Node& node, const std::string& name);

void connect(Node& node, const std::string& name, const Port& port, int from, int to);

// Every GPU on one switch that does not block, by a link "gpuN-KIND" each.
void join_all(Node& node, const std::string& switch_name, const Port& port);

// A link "gpuA-gpuB" between every two GPUs.
void join_pairs(Node& node, const Port& port);

// PCIe switches with `gpus_per_switch` GPUs each, which share the uplink to the root complex of their socket. Two
// sockets, joined by `between`, where there are several switches. Returns the root complexes.
std::vector<int> join_below_switches(Node& node, int gpus_per_switch, const Port& pcie, const Port& between);

// `count` NICs, spread over `places` (vertices). Where a place has several, each is a vertex of its own behind a link
// of the kind `pcie` that costs nothing, or else messages between other nodes could pass through the place.
void plug_nics(Node& node, const std::vector<int>& places, const Port& pcie, const Port& nic, int count);

// A PCIe switch for each NIC and the GPUs nearest to it, or for each GPU and the NICs nearest to it.
void add_nics(Node& node, const Port& pcie, const Port& nic, int count);

}  // namespace foreflow::platform
