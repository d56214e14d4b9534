#include "foreflow/transform/optimizers.h"

namespace foreflow::transform {
// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name { OptimizerDef row(); }
#include "transform/optimizers/optimizers.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

const Registry<OptimizerDef>& optimizers() {
  // clang-format off
  static const Registry<OptimizerDef> rows("optimizer", "optimizers", {
#define FOREFLOW_ROW(name) definitions::name::row(),
#include "transform/optimizers/optimizers.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

}  // namespace foreflow::transform
