#include "foreflow/search/objective.h"

namespace foreflow::search {
// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name { ObjectiveDef row(); }
#include "search/objectives.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

const Registry<ObjectiveDef>& objectives() {
  // clang-format off
  static const Registry<ObjectiveDef> rows("objective", "objectives", {
#define FOREFLOW_ROW(name) definitions::name::row(),
#include "search/objectives.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

Goal::Goal()
    : objective(&objectives().get("throughput", "goal")), front{objective, &objectives().get("memory", "goal")} {}

}  // namespace foreflow::search
