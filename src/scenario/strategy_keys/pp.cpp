#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::pp_key {
namespace {

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  const int64_t layers = layers_counted(source.workload, strategy);
  if (layers > 0 && strategy.pp > layers) {
    return source.refused("pp", std::to_string(strategy.pp) + " stages are more than the " + std::to_string(layers) +
                                    " layers; use at most " + std::to_string(layers) +
                                    or_count_more(source.workload, strategy, strategy.pp));
  }
  return std::nullopt;
}

}  // namespace

StrategyKeyDef row() {
  return {.name       = "pp",
          .doc        = "stages of the pipeline",
          .type       = degree_type(),
          .fallback   = 1,
          .read       = read_degree<&Strategy::pp>,
          .settle     = settle,
          .depends_on = {"pp", "count_as_layers"},
          .write      = write_member<&Strategy::pp>,
          .search     = {.searched = Searched::always, .turn = 3, .is_degree = true}};
}

}  // namespace foreflow::scenario::definitions::pp_key
