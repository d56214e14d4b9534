#include "scenario/idle_reasons.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::limit_reduce_scatters_key {
namespace {

std::string idle(const Scenario& scenario) {
  const Strategy& strategy = scenario.strategy;
  if (!strategy.limit_scatters) return "";
  if (!strategy.overlap_gradients) return "sums hold the device";
  if (strategy.zero < 2) return "whole gradients are kept";
  return unless_copied(scenario);
}

}  // namespace

StrategyKeyDef row() {
  return {.name = "limit_reduce_scatters",
          .doc =
              "with zero 2 or 3 and overlap_gradients: a device packs the gradients of a bucket or unit once the sum "
              "before it has ended, so that no more than one of them waits beside those that are computed (FSDP2's "
              "reduce_scatter_state); false: as many wait as are made",
          .type        = types::flag(),
          .fallback    = false,
          .read        = read_flag<&Strategy::limit_scatters>,
          .depends_on  = {"limit_reduce_scatters"},
          .write       = write_member<&Strategy::limit_scatters>,
          .of_replicas = true,
          .idle        = idle};
}

}  // namespace foreflow::scenario::definitions::limit_reduce_scatters_key
