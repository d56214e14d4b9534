#include "foreflow/platform/topologies.h"

namespace foreflow::platform {

namespace definitions {
#define FOREFLOW_X(name) FabricDef name();
#include "platform/fabrics/fabrics.def"
#undef FOREFLOW_X
}  // namespace definitions

const Registry<FabricDef>& fabrics() {
  static const Registry<FabricDef> table("fabric", {
#define FOREFLOW_X(name) definitions::name(),
#include "platform/fabrics/fabrics.def"
#undef FOREFLOW_X
                                                   });
  return table;
}

}  // namespace foreflow::platform
