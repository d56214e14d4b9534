#include <fmt/core.h>

#include <algorithm>

#include "platform/fabrics/switches.h"
#include "platform/parameters.h"

namespace foreflow::platform::definitions::rail_optimized {
namespace {

struct Settings {
  double oversubscription = 1;  // bandwidth of a leaf's ports to nodes / of its ports upwards, at least 1
  int pod_nodes           = 0;
  bool operator==(const Settings&) const = default;
};

constexpr int kScalableUnit = 32;  // nodes of a DGX H100 SuperPOD's unit (stas00/ml-engineering network/README.md)

//         spine0    spine1   ...        one for each uplink of a leaf; every leaf has one link to each
//           |  \   /  |
//   pod0-rail0     pod0-rail1  ...      a leaf for each rail: NIC r of all pod_nodes nodes of the pod
Settings read(const JsonView& json, const Outlets& outlets) {
  Settings settings;
  settings.oversubscription = read_oversubscription(json);
  settings.pod_nodes        = std::min(outlets.nodes, whole_or(json, "pod_nodes", kScalableUnit));
  const int64_t ports       = int64_t{outlets.nodes} * outlets.most_of_node;
  if (ports > kMostLinks) {
    json.fail(fmt::format("{} rails for {} nodes are more than {} ports of leaves; use fewer", outlets.most_of_node,
                          outlets.nodes, kMostLinks));
  }
  return settings;
}

Fabric build(const Settings& settings, const Outlets& outlets) {
  const int rails       = outlets.most_of_node;
  const int pods        = ceil_div(outlets.nodes, settings.pod_nodes);
  const int leaves      = pods * rails;
  const Uplinks uplinks = uplinks_of(settings.pod_nodes, settings.oversubscription);
  const int spines      = leaves > 1 ? uplinks.count : 0;
  Fabric fabric;
  fabric.notes     = {fmt::format("{} rails, {} pods of {} nodes, {} spines, oversubscription {}", rails, pods,
                                  settings.pod_nodes, spines, settings.oversubscription)};
  fabric.bisection = times_nic(outlets, half_of(outlets) / (pods > 1 ? settings.oversubscription : 1));
  fabric.next_node = times_nic(outlets, outlets.most_of_node * std::min(1.0, pods > 1 ? uplinks.width : 1));
  for (int leaf = 0; leaf < leaves; ++leaf) add_switch(fabric, fmt::format("pod{}-rail{}", leaf / rails, leaf % rails));
  for (const Outlet& outlet : outlets.all)
    fabric.plugs.push_back(outlet.node / settings.pod_nodes * rails + outlet.rail);
  add_spines(fabric, leaves, spines, widened(outlets.cable, uplinks.width), outlets);
  if (outlets.nodes % settings.pod_nodes == 0) fabric.circle = circle_below_spines(fabric, pods);
  return fabric;
}

}  // namespace

FabricDef row() {
  return fabric_row<read, build>(
      "rail_optimized", "a leaf for each rail (NIC r of every node) of a pod, and spines",
      {count_key("pod_nodes", "nodes of a pod, at most 32 by default"), oversubscription_key()}, {"adaptive"});
}

}  // namespace foreflow::platform::definitions::rail_optimized
