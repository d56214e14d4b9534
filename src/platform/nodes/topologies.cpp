#include "foreflow/platform/topologies.h"

namespace foreflow::platform {

namespace definitions {
#define FOREFLOW_X(name) TopologyDef name();
#include "platform/nodes/topologies.def"
#undef FOREFLOW_X
}  // namespace definitions

const Registry<TopologyDef>& topologies() {
  static const Registry<TopologyDef> table("topology", {
#define FOREFLOW_X(name) definitions::name(),
#include "platform/nodes/topologies.def"
#undef FOREFLOW_X
                                                       });
  return table;
}

}  // namespace foreflow::platform
