#include "scenario/idle_reasons.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::attention_key {
namespace {

using transform::Attention;

void read(const JsonView& value, Strategy& strategy) {
  strategy.attention = transform::attention_named(value.as_string(), value.where());
}

Json write(const Strategy& strategy) { return transform::name(strategy.attention_used()); }

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  const bool transformer = source.workload.family != nullptr && source.workload.family->traits.is_transformer;
  if (!source.has("attention")) strategy.attention = transformer ? Attention::flash : Attention::unfused;
  if (source.has("attention") && strategy.attention == Attention::unfused && strategy.needs_fused_attention())
    return source.refused("attention", "unfused keeps all scores, and with context_attention " +
                                           std::string(transform::name(strategy.context_attention)) +
                                           " no rank has them; use flash, or all_gather");
  return std::nullopt;
}

// DistIR's cost model charges for the ops of the graph as it was exported.
void adapt(const cost::CostModel& cost, Strategy& strategy) {
  if (!cost.fuses_attention) strategy.attention = Attention::unfused;
}

std::string idle(const Scenario& scenario) {
  const workload::WorkloadDef* family = scenario.workload.family;
  return unless(scenario.strategy.attention == Attention::unfused || family == nullptr || family->traits.is_transformer,
                "the model is no transformer");
}

// Cores of attention that flash attention cannot compute stay as they are; those of other programs are not found.
std::string idle_in_run(const Scenario& scenario, const report::Summary& summary) {
  const bool flash = scenario.strategy.attention_used() == Attention::flash;
  return unless(!flash || has_fused_attention(summary), "the program has no attention that can become one op");
}

}  // namespace

StrategyKeyDef row() {
  return {
      .name = "attention",
      .doc =
          "`flash`: scores, mask, softmax and the product with the values are one kernel, which keeps one number a "
          "row, computes the scores again in the backward pass and leaves out what a causal mask hides (Dao, 2023); "
          "cores that drop probabilities stay unfused. `unfused`: scores and probabilities are written, read and "
          "kept",
      .type           = types::one_of(transform::attention_names()),
      .otherwise      = "`flash` for a transformer; for other families, files and the cost model `distir` `unfused`",
      .read           = read,
      .settle         = settle,
      .depends_on     = {"attention", "context_attention", "cp"},
      .adapt          = adapt,
      .write          = write,
      .of_one_replica = true,
      .idle           = idle,
      .idle_in_run    = idle_in_run};
}

}  // namespace foreflow::scenario::definitions::attention_key
