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
  fabric.cables.push_back(
      {fabric.switches[static_cast<size_t>(from)] + "-" + fabric.switches[static_cast<size_t>(to)], port, from, to});
}

}  // namespace foreflow::platform
