#include "scenario/idle_reasons.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::scatter_gather_key {
namespace {

std::string idle(const Scenario& scenario) {
  const Strategy& strategy = scenario.strategy;
  if (!strategy.scatter_gather) return "";
  if (strategy.tp == 1) return "there are no shards";
  if (strategy.sequence_parallel) return "each rank has a part of its own";
  if (strategy.cp > 1 || strategy.ep > 1 || strategy.has_unequal_stages())
    return "the ranks of cp, ep and unequal stages send what they have";
  return unless_pipelined(scenario);
}

}  // namespace

StrategyKeyDef row() {
  return {
      .name = "scatter_gather",
      .doc =
          "with tp and pp, without sequence_parallel: what all ranks of a tensor-parallel group have crosses to the "
          "next stage in parts, one from each rank, and is gathered there (Megatron-LM's "
          "scatter-gather-tensors-in-pipeline; Narayanan et al., 2021); else every rank sends the whole",
      .type       = types::flag(),
      .fallback   = false,
      .read       = read_flag<&Strategy::scatter_gather>,
      .depends_on = {"scatter_gather"},
      .write      = write_member<&Strategy::scatter_gather>,
      .idle       = idle};
}

}  // namespace foreflow::scenario::definitions::scatter_gather_key
