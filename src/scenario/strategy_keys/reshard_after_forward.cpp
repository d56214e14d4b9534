#include "scenario/idle_reasons.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::reshard_after_forward_key {
namespace {

constexpr std::string_view kKey = "reshard_after_forward";

void read(const JsonView& value, Strategy& strategy) { strategy.keeps_gathered = !value.as_bool(); }

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  if (!strategy.keeps_gathered || (strategy.pp == 1 && strategy.microbatches == 1)) return std::nullopt;
  return source.refused(kKey,
                        "false keeps weights for the backward pass of one microbatch in one stage; use true, or "
                        "zero 2, which keeps them for all");
}

Json write(const Strategy& strategy) { return !strategy.keeps_gathered; }

}  // namespace

StrategyKeyDef row() {
  return {
      .name = kKey,
      .doc =
          "with zero 3: weights are gathered again for the backward pass; false: they stay from the forward pass on "
          "(FSDP's SHARD_GRAD_OP)",
      .type        = types::flag(),
      .fallback    = true,
      .read        = read,
      .settle      = settle,
      .depends_on  = {"reshard_after_forward", "pp", "microbatches", "microbatch_size", "global_batch", "dp"},
      .write       = write,
      .of_replicas = true,
      .idle        = idle_flag<&Strategy::keeps_gathered, unless_weights_split>};
}

}  // namespace foreflow::scenario::definitions::reshard_after_forward_key
