#include "scenario/idle_reasons.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::prefetch_key {
namespace {

std::string idle(const Scenario& scenario) {
  const Strategy& strategy = scenario.strategy;
  return unless(strategy.prefetch || (strategy.zero == 3 && strategy.overlap_gradients),
                "no weights are gathered beside computes");
}

}  // namespace

StrategyKeyDef row() {
  return {.name = "prefetch",
          .doc =
              "with zero 3 and overlap_gradients: the next unit of weights is gathered while one is in use, in the "
              "forward and in the backward pass (FSDP's backward_prefetch pre); false: once it is needed",
          .type        = types::flag(),
          .fallback    = true,
          .read        = read_flag<&Strategy::prefetch>,
          .depends_on  = {"prefetch"},
          .write       = write_member<&Strategy::prefetch>,
          .of_replicas = true,
          .idle        = idle};
}

}  // namespace foreflow::scenario::definitions::prefetch_key
