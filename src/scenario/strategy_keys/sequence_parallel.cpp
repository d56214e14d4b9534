#include "scenario/idle_reasons.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::sequence_parallel_key {
namespace {

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  if (strategy.sequence_parallel) {
    if (auto no = check_padded(source, "sequence_parallel", "sequence", strategy.tp)) return no;
  }
  return std::nullopt;
}

std::vector<Json> legal(const SpaceFacts& facts, const Json& point) {
  return facts.transformer && whole_or(point, "tp", 1) > 1 ? yes_or_no() : words({});
}

}  // namespace

StrategyKeyDef row() {
  return {.name = "sequence_parallel",
          .doc =
              "activations between the blocks that tp splits are split along the sequence: all-gathers and "
              "reduce-scatters in place of all-reduces (Korthikanti et al., 2022)",
          .type           = types::flag(),
          .fallback       = false,
          .read           = read_flag<&Strategy::sequence_parallel>,
          .settle         = settle,
          .depends_on     = {"sequence_parallel", "tp"},
          .write          = write_member<&Strategy::sequence_parallel>,
          .of_one_replica = true,
          .search         = {.searched = Searched::always, .turn = 70, .legal = legal},
          .idle           = idle_flag<&Strategy::sequence_parallel, unless_sharded>};
}

}  // namespace foreflow::scenario::definitions::sequence_parallel_key
