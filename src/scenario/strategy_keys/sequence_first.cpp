#include "scenario/idle_reasons.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::sequence_first_key {
namespace {

std::string idle(const Scenario& scenario) {
  const Strategy& strategy = scenario.strategy;
  if (!strategy.sequence_first || strategy.copies_attention()) return "";
  return strategy.microbatch_size() == 1 ? "a microbatch is one sample" : "attention is no flash attention";
}

}  // namespace

StrategyKeyDef row() {
  return {.name = "sequence_first",
          .doc =
              "activations lie sequence first, [s,b,h], as in Megatron-LM: what flash attention makes, [b,s,h], is "
              "copied for the product behind it where a microbatch has more than one sample, and both are kept for "
              "the backward pass",
          .type           = types::flag(),
          .fallback       = false,
          .read           = read_flag<&Strategy::sequence_first>,
          .depends_on     = {"sequence_first"},
          .write          = write_member<&Strategy::sequence_first>,
          .of_one_replica = true,
          .idle           = idle};
}

}  // namespace foreflow::scenario::definitions::sequence_first_key
