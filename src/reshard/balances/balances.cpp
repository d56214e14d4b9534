#include "foreflow/reshard/strategy.h"

namespace foreflow::reshard {
// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name { BalanceDef row(); }
#include "reshard/balances/balances.def"
#undef FOREFLOW_ROW
}  // namespace definitions

const Registry<BalanceDef>& balances() {
  static const Registry<BalanceDef> rows("balance", "balances", {
#define FOREFLOW_ROW(name) definitions::name::row(),
#include "reshard/balances/balances.def"
#undef FOREFLOW_ROW
  });
  return rows;
}
// clang-format on

}  // namespace foreflow::reshard
