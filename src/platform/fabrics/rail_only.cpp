#include <fmt/core.h>

#include "platform/fabrics/switches.h"

namespace foreflow::platform::definitions::rail_only {
namespace {

struct Settings {
  bool operator==(const Settings&) const = default;
};

// Wang et al., Rail-only: a low-cost high-performance network for training LLMs with trillion parameters (2023): a
// switch for each rail joins NIC r of all nodes, and nothing joins the rails. A message to another rail goes through
// the GPU of its node that sits there.
//
//   rail0         rail1                node0-gpu0 to node1-gpu1:
//   |    \        |    \                gpu0 --nvlink--> gpu1 --nic1--> rail1 --nic1--> gpu1
//   nic0  nic0    nic1  nic1
//   node0 node1   node0 node1
Settings read(const JsonView&, const Outlets&) { return {}; }

Fabric build(const Settings&, const Outlets& outlets) {
  Fabric fabric;
  fabric.notes     = {fmt::format("{} rails of {} nodes; between rails messages go through a GPU of their node",
                                  outlets.most_of_node, outlets.nodes)};
  fabric.relays    = true;
  fabric.bisection = times_nic(outlets, half_of(outlets));
  fabric.next_node = times_nic(outlets, outlets.most_of_node);
  for (int rail = 0; rail < outlets.most_of_node; ++rail) add_switch(fabric, fmt::format("rail{}", rail));
  for (const Outlet& outlet : outlets.all) fabric.plugs.push_back(outlet.rail);
  fabric.circle = {outlets.nodes};
  return fabric;
}

}  // namespace

FabricDef row() {
  return fabric_row<read, build>("rail_only", "a switch for each rail (NIC r of every node), and nothing between rails",
                                 {}, {}, "its switches have no uplinks");
}

}  // namespace foreflow::platform::definitions::rail_only
