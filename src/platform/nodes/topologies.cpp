#include "foreflow/platform/topologies.h"

namespace foreflow::platform {

// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name { TopologyDef row(); }
#include "platform/nodes/topologies.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

const Registry<TopologyDef>& topologies() {
  // clang-format off
  static const Registry<TopologyDef> rows("topology", "topologies", {
#define FOREFLOW_ROW(name) definitions::name::row(),
#include "platform/nodes/topologies.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

}  // namespace foreflow::platform
