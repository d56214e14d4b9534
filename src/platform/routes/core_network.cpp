#include "platform/routes/core_network.h"

#include <utility>

#include "foreflow/base/nth.h"

namespace foreflow::platform {

Core make_core(std::vector<Switch> switches, const std::vector<CoreEdge>& edges) {
  std::vector<int> degrees(switches.size());
  for (const CoreEdge& edge : edges) {
    ++nth(degrees, edge.a);
    ++nth(degrees, edge.b);
  }
  // An edge whose first end is a switch with one cable hangs it on the other; of two such, the second stays.
  std::vector<char> hangs(switches.size());
  const auto hang = [&](int leaf, int on, Cost up, Cost down, int up_step) {
    const auto at = static_cast<size_t>(leaf);
    if (degrees[at] != 1 || nth(hangs, on) != 0) return false;
    hangs[at]    = 1;
    switches[at] = {switches[at].vertex, on, up, down, up_step, up_step ^ 1};
    return true;
  };
  std::vector<CoreEdge> kept;
  for (const CoreEdge& edge : edges) {
    if (hang(edge.a, edge.b, edge.forth, edge.back, 2 * edge.edge)) continue;
    if (hang(edge.b, edge.a, edge.back, edge.forth, 2 * edge.edge + 1)) continue;
    kept.push_back(edge);
  }

  std::vector<int> names;
  for (size_t s = 0; s < switches.size(); ++s) {
    if (hangs[s] != 0) continue;
    switches[s].core = static_cast<int>(names.size());
    names.push_back(static_cast<int>(s));
  }
  for (size_t s = 0; s < switches.size(); ++s) {
    if (hangs[s] != 0) switches[s].core = nth(switches, switches[s].core).core;
  }
  std::vector<Wire> wires;
  std::vector<int> edge_of_wire;
  for (const CoreEdge& edge : kept) {
    wires.push_back({nth(switches, edge.a).core, nth(switches, edge.b).core, edge.forth, edge.back});
    edge_of_wire.push_back(edge.edge);
  }
  Network network(wires, std::vector<char>(names.size(), 1));
  return {std::move(switches), std::move(network), std::move(names), std::move(edge_of_wire)};
}

}  // namespace foreflow::platform
