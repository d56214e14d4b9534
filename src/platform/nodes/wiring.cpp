#include "platform/nodes/wiring.h"

#include <fmt/core.h>

#include <algorithm>

#include "foreflow/base/nth.h"
#include "platform/link_units.h"

namespace foreflow::platform {

int add_switch(Node& node, const std::string& name) {
  node.switches.push_back(name);
  return node.gpus + static_cast<int>(node.switches.size()) - 1;
}

void connect(Node& node, const std::string& name, const Port& port, int from, int to) {
  node.cables.push_back({name, port, from, to});
}

void join_all(Node& node, const std::string& switch_name, const Port& port) {
  const int centre = add_switch(node, switch_name);
  for (int i = 0; i < node.gpus; ++i) connect(node, fmt::format("gpu{}-{}", i, port.kind), port, i, centre);
}

void join_pairs(Node& node, const Port& port) {
  for (int a = 0; a < node.gpus; ++a) {
    for (int b = a + 1; b < node.gpus; ++b) connect(node, fmt::format("gpu{}-gpu{}", a, b), port, a, b);
  }
}

std::vector<int> join_below_switches(Node& node, int gpus_per_switch, const Port& pcie, const Port& between) {
  const int switches = (node.gpus + gpus_per_switch - 1) / gpus_per_switch;
  const int sockets  = std::min(2, switches);
  std::vector<int> roots;
  for (int s = 0; s < sockets; ++s) roots.push_back(add_switch(node, fmt::format("socket{}", s)));
  for (int s = 0; s < switches; ++s) {
    const int place = add_switch(node, fmt::format("pcie{}", s));
    connect(node, fmt::format("pcie{}-uplink", s), {pcie.kind, pcie.bandwidth, 0_us}, place,
            nth(roots, s * sockets / switches));
    for (int i = s * gpus_per_switch; i < std::min(node.gpus, (s + 1) * gpus_per_switch); ++i)
      connect(node, fmt::format("gpu{}-pcie", i), pcie, i, place);
  }
  if (sockets > 1) connect(node, "upi", between, roots[0], roots[1]);
  return roots;
}

void plug_nics(Node& node, const std::vector<int>& places, const Port& pcie, const Port& nic, int count) {
  const int slots = static_cast<int>(places.size());
  for (int j = 0; j < count; ++j) {
    const std::string name = fmt::format("nic{}", j);
    int vertex             = nth(places, j * slots / count);
    if (count > slots) {
      const int card = add_switch(node, name);
      connect(node, name + "-pcie", {pcie.kind, pcie.bandwidth, 0_us}, vertex, card);
      vertex = card;
    }
    node.nics.push_back({name + (count > slots ? "-port" : ""), nic, vertex});
  }
}

void add_nics(Node& node, const Port& pcie, const Port& nic, int count) {
  const int switches = std::min(node.gpus, count);
  std::vector<int> places;
  for (int s = 0; s < switches; ++s) places.push_back(add_switch(node, fmt::format("pcie{}", s)));
  for (int i = 0; i < node.gpus; ++i) {
    const int place = nth(places, i * switches / node.gpus);
    connect(node, fmt::format("gpu{}-pcie", i), pcie, i, place);
  }
  plug_nics(node, places, pcie, nic, count);
}

}  // namespace foreflow::platform
