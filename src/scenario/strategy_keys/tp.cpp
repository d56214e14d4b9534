#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::tp_key {
namespace {

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  const Workload& workload = source.workload;
  const int64_t heads = workload.size("heads"), kv_heads = workload.size("kv_heads"), hidden = workload.size("hidden");
  if (heads > 0) {
    if (auto no = check_divides(source, "tp", strategy.tp, heads, "the " + std::to_string(heads) + " attention heads"))
      return no;
  }
  if (kv_heads > 0) {
    if (auto no = check_divides(source, "tp", strategy.tp, kv_heads,
                                "the " + std::to_string(kv_heads) + " heads of keys and values"))
      return no;
  }
  if (hidden > 0) {
    if (auto no = check_divides(source, "tp", strategy.tp, hidden, "the hidden size " + std::to_string(hidden)))
      return no;
  }
  return std::nullopt;
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
