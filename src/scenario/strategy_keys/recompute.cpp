#include "scenario/idle_reasons.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::recompute_key {
namespace {

void read(const JsonView& value, Strategy& strategy) {
  strategy.recompute = transform::read_recompute(value.as_string(), value.where());
}

Json write(const Strategy& strategy) { return transform::to_string(strategy.recompute); }

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  if (strategy.recompute.kind != transform::Recompute::Kind::none) {
    if (auto no = check_trains(source, "recompute", transform::to_string(strategy.recompute), "none")) return no;
  }
  return std::nullopt;
}

std::vector<Json> legal(const SpaceFacts& facts, const Json& point) {
  if (!facts.training) return {};
  const bool keeps_scores = facts.transformer && !is_fused(facts, point);
  return keeps_scores ? words({"none", "selective", "full"}) : words({"none", "full"});
}

ValueType kinds() {
  ValueType segment = types::text("`block(n)`");
  segment.schema    = segment.schema.with("pattern", R"(^block\([1-9][0-9]*\)$)");
  return types::either({types::one_of({"none", "activation", "selective", "op", "full", "optimal"}), segment});
}

std::string idle_in_run(const Scenario& scenario, const report::Summary& summary) {
  const bool selective = scenario.strategy.recompute.kind == transform::Recompute::Kind::selective;
  const bool flash     = scenario.strategy.attention_used() == transform::Attention::flash;
  return unless(!selective || !flash || !has_fused_attention(summary), "with attention flash no scores are kept");
}

}  // namespace

StrategyKeyDef row() {
  return {
      .name = "recompute",
      .doc =
          "what the backward pass computes again instead of keeping it. `none`: nothing; `activation`: what activation "
          "functions and gates hand to products (xformers' SwiGLU, Megatron-LM's moe_act); `selective`: the core of "
          "attention; `op`: every layer but for attention that is one kernel, reduce-scatters and every second product "
          "with a matrix (torchtitan's selective_ac_option op); `full`: every layer; `block(n)`: n layers of each "
          "stage together; `optimal`: the least that fits in memory. A search tries `activation`, `op`, `block(n)` and "
          "`optimal` only where they are listed",
      .type           = kinds(),
      .fallback       = "none",
      .read           = read,
      .settle         = settle,
      .depends_on     = {"recompute"},
      .write          = write,
      .of_one_replica = true,
      .search =
          {.searched = Searched::always, .turn = 40, .legal = legal, .fastest = Open::first, .leanest = Open::last},
      .idle_in_run = idle_in_run};
}

}  // namespace foreflow::scenario::definitions::recompute_key
