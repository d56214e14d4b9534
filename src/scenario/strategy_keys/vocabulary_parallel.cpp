#include "scenario/idle_reasons.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::vocabulary_parallel_key {
namespace {

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  if (strategy.vocabulary_parallel) {
    if (auto no = check_padded(source, "vocabulary_parallel", "vocabulary", strategy.tp)) return no;
  }
  return std::nullopt;
}

std::vector<Json> legal(const SpaceFacts& facts, const Json& point) {
  const int64_t tp = whole_or(point, "tp", 1);
  return facts.transformer && tp > 1 && facts.vocabulary % tp == 0 ? yes_or_no() : words({});
}

}  // namespace

StrategyKeyDef row() {
  return {.name = "vocabulary_parallel",
          .doc  = "embedding tables, logits and the cross entropy are split by the vocabulary, which tp must divide",
          .type = types::flag(),
          .fallback       = false,
          .read           = read_flag<&Strategy::vocabulary_parallel>,
          .settle         = settle,
          .depends_on     = {"vocabulary_parallel", "tp"},
          .write          = write_member<&Strategy::vocabulary_parallel>,
          .of_one_replica = true,
          .search         = {.searched = Searched::always, .turn = 80, .legal = legal},
          .idle           = idle_flag<&Strategy::vocabulary_parallel, unless_sharded>};
}

}  // namespace foreflow::scenario::definitions::vocabulary_parallel_key
