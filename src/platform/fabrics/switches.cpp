#include "platform/fabrics/switches.h"

#include <algorithm>
#include <cmath>

namespace foreflow::platform {

int even_part(int whole, int step, int least) {
  for (int part = least; part <= 2 * least; part += step) {
    if (whole % part == 0) return part;
  }
  return least;
}

Uplinks uplinks_of(int ports, double oversubscription) {
  const double wanted = ports / oversubscription;
  const int count     = static_cast<int>(std::ceil(wanted));
  return {count, wanted / count};
}

void add_formulas_of_leaves(Fabric& fabric, const Outlets& outlets, int leaf_ports, const Uplinks& uplinks) {
  const int ports = static_cast<int>(outlets.all.size()), rails = outlets.most_of_node;
  if (leaf_ports >= ports) {
    fabric.bisection = times_nic(outlets, half_of(outlets));
    fabric.next_node = times_nic(outlets, rails);
    return;
  }
  const double upwards = uplinks.count * uplinks.width;
  const double sharing = spreads(outlets) ? rails / upwards : ceil_div(rails, uplinks.count) / uplinks.width;
  fabric.bisection     = times_nic(outlets, half_of(outlets) * upwards / leaf_ports);
  fabric.next_node     = times_nic(outlets, rails / std::max(1.0, sharing));
  fabric.below_leaf    = 1.0 * leaf_ports / ports;
  fabric.leaf_nic      = times_nic(outlets, upwards / leaf_ports);
}

Port widened(const Port& port, double times) { return {port.kind, times * port.bandwidth, port.latency}; }

int add_switch(Fabric& fabric, const std::string& name) {
  fabric.switches.push_back(name);
  return static_cast<int>(fabric.switches.size()) - 1;
}

void join_leaves(Fabric& fabric, int leaves, int spines, const Port& port) {
  for (int leaf = 0; leaf < leaves; ++leaf) {
    for (int spine = 0; spine < spines; ++spine) connect(fabric, leaf, leaves + spine, port);
  }
  // A leaf of one trunk is a place on the way of its spine.
  if (spines < 2) return;
  fabric.rule = {.hops = [](int from, int to) { return from == to ? 0 : 2; },
                 .ways =
                     [leaves, spines](int at, int to) {
                       return at < leaves ? Ways{spines, at * spines} : Ways{1, to * spines + at - leaves};
                     }};
}

void add_spines(Fabric& fabric, int leaves, int spines, const Port& port, const Outlets& outlets) {
  fabric.built_switches = leaves + spines;
  fabric.built_cables   = int64_t{leaves} * spines;
  const bool together   = spreads(outlets) && spines > 1;
  const int drawn       = together ? 1 : spines;
  for (int spine = 0; spine < drawn; ++spine)
    fabric.tops.push_back(add_switch(fabric, together ? "spines" : "spine" + std::to_string(spine)));
  if (spines == 0) fabric.tops = {0};
  join_leaves(fabric, leaves, drawn, together ? widened(port, spines) : port);
}

Circle circle_below_spines(const Fabric& fabric, int parts) {
  const int leaves = static_cast<int>(fabric.switches.size() - fabric.tops.size());
  const int trunks = static_cast<int>(fabric.trunks.size());
  return {parts, {trunks}, std::max(1, trunks / std::max(1, leaves))};
}

bool spreads(const Outlets& outlets) { return outlets.routing == "adaptive"; }

Purchase purchase_of(const Fabric& fabric) {
  if (fabric.built_switches > 0) return {fabric.built_switches, fabric.built_cables};
  return {static_cast<int64_t>(fabric.switches.size()), static_cast<int64_t>(fabric.trunks.size())};
}

FabricFacts facts_of(const Recipe& recipe) {
  const Outlets outlets = outlets_of(recipe.parts, recipe.routing);
  const Fabric fabric   = recipe.fabric->build(recipe.settings, outlets);
  const Purchase bought = purchase_of(fabric);
  return {bought.switches,         bought.cables + static_cast<int64_t>(outlets.all.size()),
          fabric.bisection,        fabric.narrowest.value() > 0 ? fabric.narrowest : fabric.bisection,
          fabric.crossings,        fabric.next_node,
          outlets.cable.bandwidth, fabric.below_leaf,
          fabric.leaf_nic};
}

BytesPerSecond times_nic(const Outlets& outlets, double number) { return number * outlets.cable.bandwidth; }

void connect(Fabric& fabric, int from, int to, const Port& port) {
  // Neighbours mostly have equal ports.
  size_t at        = fabric.ports.size();
  const auto equal = [&](const Port& known) {
    return known.kind == port.kind && known.bandwidth == port.bandwidth && known.latency == port.latency;
  };
  while (at > 0 && !equal(fabric.ports[at - 1])) --at;
  if (at == 0) {
    fabric.ports.push_back(port);
    at = fabric.ports.size();
  }
  fabric.trunks.push_back({from, to, static_cast<int>(at) - 1});
}

}  // namespace foreflow::platform
