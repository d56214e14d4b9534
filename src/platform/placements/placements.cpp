#include "foreflow/platform/placement.h"

namespace foreflow::platform {

// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name { PlacementDef row(); }
#include "platform/placements/placements.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

const Registry<PlacementDef>& placements() {
  // clang-format off
  static const Registry<PlacementDef> rows("placement", "placements", {
#define FOREFLOW_ROW(name) definitions::name::row(),
#include "platform/placements/placements.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

}  // namespace foreflow::platform
