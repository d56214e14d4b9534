#include "foreflow/platform/topologies.h"

namespace foreflow::platform {

// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name { FabricDef row(); }
#include "platform/fabrics/fabrics.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

const Registry<FabricDef>& fabrics() {
  // clang-format off
  static const Registry<FabricDef> rows("fabric", "fabrics", {
#define FOREFLOW_ROW(name) definitions::name::row(),
#include "platform/fabrics/fabrics.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

}  // namespace foreflow::platform
