#include "platform/fabrics/switches.h"

#include <cmath>

namespace foreflow::platform {

Uplinks uplinks_of(int ports, double oversubscription) {
  const double wanted = ports / oversubscription;
  const int count     = static_cast<int>(std::ceil(wanted));
  return {count, wanted / count};
}

Port widened(const Port& port, double times) { return {port.kind, times * port.bandwidth, port.latency}; }

int add_switch(Fabric& fabric, const std::string& name) {
  fabric.switches.push_back(name);
  return static_cast<int>(fabric.switches.size()) - 1;
}

void connect(Fabric& fabric, int from, int to, const Port& port) {
  // Neighbours mostly have equal ports.
  size_t at        = fabric.ports.size();
  const auto alike = [&](const Port& known) {
    return known.kind == port.kind && known.bandwidth == port.bandwidth && known.latency == port.latency;
  };
  while (at > 0 && !alike(fabric.ports[at - 1])) --at;
  if (at == 0) {
    fabric.ports.push_back(port);
    at = fabric.ports.size();
  }
  fabric.trunks.push_back({from, to, static_cast<int>(at) - 1});
}

}  // namespace foreflow::platform
