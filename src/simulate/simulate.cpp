#include "foreflow/simulate/simulate.h"

namespace foreflow::simulate {
// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name##_engine { EngineDef row(); }
#include "simulate/engines.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

const Registry<EngineDef>& engines() {
  // clang-format off
  static const Registry<EngineDef> rows("engine", {
#define FOREFLOW_ROW(name) definitions::name##_engine::row(),
#include "simulate/engines.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

}  // namespace foreflow::simulate
