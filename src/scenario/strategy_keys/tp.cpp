#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::tp_key {
namespace {

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  return check_shards(source, "tp", strategy.tp);
}

}  // namespace

StrategyKeyDef row() {
  return {.name           = "tp",
          .doc            = "shards of each layer (tensor parallelism)",
          .type           = degree_type(),
          .fallback       = 1,
          .read           = read_degree<&Strategy::tp>,
          .settle         = settle,
          .depends_on     = {"tp"},
          .write          = write_member<&Strategy::tp>,
          .of_one_replica = true,
          .search         = {.searched = Searched::always, .turn = 2, .is_degree = true}};
}

}  // namespace foreflow::scenario::definitions::tp_key
