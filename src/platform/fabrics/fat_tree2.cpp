#include <fmt/core.h>

#include <algorithm>

#include "platform/fabrics/switches.h"
#include "platform/parameters.h"

namespace foreflow::platform::definitions::fat_tree2 {
namespace {

struct Settings {
  double oversubscription = 1;  // bandwidth of a leaf's ports to nodes / of its ports upwards, at least 1
  int leaf_ports          = 0;  // that lead to nodes
  bool operator==(const Settings&) const = default;
};

//   spine0   spine1  ...   one for each uplink of a leaf; every leaf has one link to each
//     | \   / |
//   leaf0   leaf1    ...   leaf_ports NICs each, in the order of the nodes
Settings read(const JsonView& json, const Outlets& outlets) {
  const int ports = static_cast<int>(outlets.all.size());
  const int fitted =
      smallest_multiple(outlets.most_of_node, [&](int down) { return ceil_div(ports, down) <= 2 * int64_t{down}; });
  Settings settings;
  settings.oversubscription = read_oversubscription(json);
  settings.leaf_ports       = whole_or(json, "leaf_ports", even_part(ports, outlets.most_of_node, fitted));
  return settings;
}

Fabric build(const Settings& settings, const Outlets& outlets) {
  const int ports       = static_cast<int>(outlets.all.size());
  const int leaves      = ceil_div(ports, settings.leaf_ports);
  const Uplinks uplinks = uplinks_of(settings.leaf_ports, settings.oversubscription);
  const int spines      = leaves > 1 ? uplinks.count : 0;
  Fabric fabric;
  fabric.notes = {fmt::format("{} leaves of {} ports, {} spines, oversubscription {}", leaves, settings.leaf_ports,
                              spines, settings.oversubscription)};
  add_formulas_of_leaves(fabric, outlets, settings.leaf_ports, uplinks);
  for (int leaf = 0; leaf < leaves; ++leaf) add_switch(fabric, fmt::format("leaf{}", leaf));
  for (int port = 0; port < ports; ++port) fabric.plugs.push_back(port / settings.leaf_ports);
  add_spines(fabric, leaves, spines, widened(outlets.cable, uplinks.width), outlets);
  if (leaves == 1) fabric.circle = {outlets.nodes};
  if (leaves > 1 && ports % settings.leaf_ports == 0) fabric.circle = circle_below_spines(fabric, leaves);
  return fabric;
}

}  // namespace

FabricDef row() {
  return fabric_row<read, build>(
      "fat_tree2", "leaves and spines, each leaf with a link to each spine",
      {count_key(
           "leaf_ports",
           "NICs of a leaf; by default those of whole nodes, as many as give spines twice as many ports, or up to "
           "twice as many if all leaves are then equal"),
       oversubscription_key()},
      {"adaptive"});
}

}  // namespace foreflow::platform::definitions::fat_tree2
