#include "foreflow/reshard/strategy.h"

namespace foreflow::reshard {
// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name { StrategyDef row(); }
#include "reshard/strategies/strategies.def"
#undef FOREFLOW_ROW
}  // namespace definitions

const Registry<StrategyDef>& strategies() {
  static const Registry<StrategyDef> rows("resharding strategy", "reshardings", {
#define FOREFLOW_ROW(name) definitions::name::row(),
#include "reshard/strategies/strategies.def"
#undef FOREFLOW_ROW
  });
  return rows;
}
// clang-format on

}  // namespace foreflow::reshard
