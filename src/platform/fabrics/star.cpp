#include "platform/fabrics/switches.h"

namespace foreflow::platform::definitions::star {

// One switch that never blocks: the NICs are the only links, so no link is fictitious and none limits before they do.
FabricDef row() {
  const auto read  = [](const JsonView&, const Outlets&) { return FabricSettings{}; };
  const auto build = [](const FabricSettings&, const Outlets& outlets) {
    Fabric fabric;
    add_switch(fabric, "core");
    fabric.plugs.assign(outlets.all.size(), 0);
    fabric.tops      = {0};
    fabric.circle    = {outlets.nodes};
    fabric.bisection = times_nic(outlets, half_of(outlets));
    fabric.next_node = times_nic(outlets, outlets.most_of_node);
    return fabric;
  };
  return {"star", "one switch that does not block; the default", {}, read, build, {}, "its one switch does not block"};
}

}  // namespace foreflow::platform::definitions::star
