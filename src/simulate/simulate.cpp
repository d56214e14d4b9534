#include "foreflow/simulate/simulate.h"

namespace foreflow::simulate {
namespace definitions {
#define FOREFLOW_X(name) EngineDef name();
#include "simulate/engines.def"
#undef FOREFLOW_X
}  // namespace definitions

const Registry<EngineDef>& engines() {
  static const Registry<EngineDef> table("engine", {
#define FOREFLOW_X(name) definitions::name(),
#include "simulate/engines.def"
#undef FOREFLOW_X
                                                   });
  return table;
}

}  // namespace foreflow::simulate
