#include "foreflow/cost/cost.h"

#include <array>

namespace foreflow::cost {

namespace definitions {
#define FOREFLOW_COST_MODEL(name) CostModelDef name();
#include "cost_models.def"
#undef FOREFLOW_COST_MODEL
}  // namespace definitions

std::string_view name(Provenance provenance) {
  static constexpr std::array<std::string_view, kProvenances> kNames = {"table", "interpolated", "regression",
                                                                        "roofline"};
  return kNames[static_cast<size_t>(provenance)];
}

const Registry<CostModelDef>& cost_models() {
  static const Registry<CostModelDef> kTable("cost model", {
#define FOREFLOW_COST_MODEL(name) definitions::name(),
#include "cost_models.def"
#undef FOREFLOW_COST_MODEL
                                                           });
  return kTable;
}

}  // namespace foreflow::cost
