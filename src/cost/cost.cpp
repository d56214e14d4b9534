#include "foreflow/cost/cost.h"

#include <array>

namespace foreflow::cost {

// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name { CostModelDef row(); }
#include "foreflow/base/nth.h"
#include "cost/cost_models.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

std::string_view name(Provenance provenance) {
  static constexpr std::array<std::string_view, kProvenances> kNames = {"table", "interpolated", "regression",
                                                                        "roofline"};
  return nth(kNames, provenance);
}

const Registry<CostModelDef>& cost_models() {
  // clang-format off
  static const Registry<CostModelDef> rows("cost model", "costs", {
#define FOREFLOW_ROW(name) definitions::name::row(),
#include "cost/cost_models.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

}  // namespace foreflow::cost
