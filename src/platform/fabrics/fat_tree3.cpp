#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "platform/fabrics/switches.h"
#include "platform/parameters.h"

namespace foreflow::platform::definitions::fat_tree3 {
namespace {

struct Settings {
  double oversubscription = 1;  // bandwidth of a leaf's ports to nodes / of its ports upwards, at least 1
  int leaf_ports          = 0;  // that lead to nodes
  int pod_leaves          = 0;
  bool operator==(const Settings&) const = default;
};

//   core0 core1   core2 core3      pod_leaves for each spine of a pod; spine s of every pod meets the same ones
//      |   |         |   |
//   pod0-spine0   pod0-spine1      one for each uplink of a leaf
//          | \     / |
//   pod0-leaf0    pod0-leaf1       leaf_ports NICs each, in the order of the nodes
//
// Al-Fares, Loukissas and Vahdat (SIGCOMM 2008), with leaves that may have fewer links up than down.
Settings read(const JsonView& json, const Outlets& outlets) {
  const int ports = static_cast<int>(outlets.all.size());
  const int fitted =
      smallest_multiple(outlets.most_of_node, [&](int64_t down) { return 2 * down * down * down >= ports; });
  Settings settings;
  settings.oversubscription = read_oversubscription(json);
  settings.leaf_ports       = whole_or(json, "leaf_ports", even_part(ports, outlets.most_of_node, fitted));
  const int leaves          = ceil_div(ports, settings.leaf_ports);
  settings.pod_leaves =
      whole_or(json, "pod_leaves", even_part(leaves, 1, static_cast<int>(std::ceil(std::sqrt(leaves)))));
  return settings;
}

// Trunks are numbered leaf by leaf, then spine by spine. Up any way leads to the leaf, down there is one.
FabricRule rule_of(int leaves, int per_pod, int pods, int spines) {
  const int first_core = leaves + pods * spines, first_up = leaves * spines;
  const auto hops = [=](int from, int to) { return from == to ? 0 : from / per_pod == to / per_pod ? 2 : 4; };
  const auto ways = [=](int at, int to) -> Ways {
    if (at < leaves) return {spines, at * spines};
    const int pod = to / per_pod;
    if (at >= first_core) {
      const int spine = (at - first_core) / per_pod, core = (at - first_core) % per_pod;
      return {1, first_up + (pod * spines + spine) * per_pod + core};
    }
    const int spine = at - leaves;
    if (spine / spines == pod) return {1, to * spines + spine % spines};
    return {per_pod, first_up + spine * per_pod};
  };
  return {hops, ways};
}

// The switches of a tree with `leaves` leaves, as it is built or with one switch for all that stand side by side.
struct Sizes {
  int leaves, per_pod, pods;
  int spines;  // of a pod
  int cores;   // that each spine of a pod meets
};

void add_switches(Fabric& fabric, const Sizes& sizes, bool together) {
  for (int leaf = 0; leaf < sizes.leaves; ++leaf)
    add_switch(fabric, fmt::format("pod{}-leaf{}", leaf / sizes.per_pod, leaf % sizes.per_pod));
  for (int spine = 0; spine < sizes.pods * sizes.spines; ++spine) {
    const int pod = spine / sizes.spines;
    add_switch(fabric,
               together ? fmt::format("pod{}-spines", pod) : fmt::format("pod{}-spine{}", pod, spine % sizes.spines));
  }
  const int cores = sizes.spines * sizes.cores;
  for (int core = 0; core < cores; ++core)
    fabric.tops.push_back(add_switch(fabric, together ? "cores" : fmt::format("core{}", core)));
  for (int spine = 0; cores == 0 && spine < sizes.spines; ++spine) fabric.tops.push_back(sizes.leaves + spine);
  if (sizes.spines == 0) fabric.tops = {0};
}

void join(Fabric& fabric, const Sizes& sizes, const Port& up, const Port& further) {
  const auto [leaves, per_pod, pods, spines, cores] = sizes;
  for (int leaf = 0; leaf < leaves; ++leaf) {
    for (int s = 0; s < spines; ++s) connect(fabric, leaf, leaves + leaf / per_pod * spines + s, up);
  }
  for (int spine = 0; spine < pods * spines; ++spine) {
    const int first = leaves + pods * spines + spine % spines * cores;
    for (int c = 0; c < cores; ++c) connect(fabric, leaves + spine, first + c, further);
  }
}

// The pods, or the leaves of the only one.
Circle circle_of(const Settings& settings, const Sizes& drawn, const Outlets& outlets) {
  const auto [leaves, per_pod, pods, spines, cores] = drawn;
  if (leaves == 1) return {outlets.nodes};
  if (static_cast<int>(outlets.all.size()) % settings.leaf_ports != 0 || (pods > 1 && leaves % per_pod != 0)) return {};
  if (pods == 1) return {leaves, {leaves * spines}, spines};
  return {pods, {leaves * spines, pods * spines * cores}, spines * cores};
}

Fabric build(const Settings& settings, const Outlets& outlets) {
  const int ports       = static_cast<int>(outlets.all.size());
  const int per_pod     = settings.pod_leaves;
  const int leaves      = ceil_div(ports, settings.leaf_ports);
  const int pods        = ceil_div(leaves, per_pod);
  const Uplinks uplinks = uplinks_of(settings.leaf_ports, settings.oversubscription);
  const Sizes built     = {leaves, per_pod, pods, leaves > 1 ? uplinks.count : 0, pods > 1 ? per_pod : 0};
  const int cores       = built.spines * built.cores;
  const bool together   = spreads(outlets) && built.spines > 1;
  const Sizes drawn     = together ? Sizes{leaves, per_pod, pods, 1, std::min(built.cores, 1)} : built;
  Fabric fabric;
  fabric.notes = {
      fmt::format("{} leaves of {} ports in {} pods of {}, {} spines in a pod, {} cores, oversubscription {}", leaves,
                  settings.leaf_ports, pods, per_pod, built.spines, cores, settings.oversubscription)};
  add_formulas_of_leaves(fabric, outlets, settings.leaf_ports, uplinks);
  fabric.built_switches = leaves + pods * built.spines + cores;
  fabric.built_cables   = int64_t{leaves} * built.spines + int64_t{pods} * built.spines * built.cores;
  for (int port = 0; port < ports; ++port) fabric.plugs.push_back(port / settings.leaf_ports);
  add_switches(fabric, drawn, together);
  const Port cable = widened(outlets.cable, uplinks.width);
  join(fabric, drawn, together ? widened(cable, built.spines) : cable,
       together ? widened(cable, 1.0 * built.spines * built.cores) : cable);
  fabric.circle = circle_of(settings, drawn, outlets);
  if (drawn.spines > 1) fabric.rule = rule_of(leaves, per_pod, pods, drawn.spines);
  return fabric;
}

}  // namespace

FabricDef row() {
  return fabric_row<read, build>(
      "fat_tree3", "leaves and spines in pods, and cores between the pods",
      {count_key(
           "leaf_ports",
           "NICs of a leaf; by default those of whole nodes, with no switch of more than twice as many ports, or up "
           "to twice as many NICs if all leaves are then equal"),
       count_key("pod_leaves",
                 "leaves of a pod; by default as many as there are pods, or up to twice as many if all pods are then "
                 "equal"),
       oversubscription_key()},
      {"adaptive"});
}

}  // namespace foreflow::platform::definitions::fat_tree3
