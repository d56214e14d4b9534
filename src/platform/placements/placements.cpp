#include "foreflow/platform/placement.h"

namespace foreflow::platform {

namespace definitions {
#define FOREFLOW_X(name) PlacementDef name();
#include "platform/placements/placements.def"
#undef FOREFLOW_X
}  // namespace definitions

const Registry<PlacementDef>& placements() {
  static const Registry<PlacementDef> table("placement", {
#define FOREFLOW_X(name) definitions::name(),
#include "platform/placements/placements.def"
#undef FOREFLOW_X
                                                         });
  return table;
}

}  // namespace foreflow::platform
