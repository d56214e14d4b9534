#include "foreflow/schedule/plan.h"
#include "scenario/idle_reasons.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::delay_weight_gradients_key {
namespace {

constexpr std::string_view kKey = "delay_weight_gradients";

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  if (!strategy.delay_weight_gradients) return std::nullopt;
  const std::string refusal = schedule::refuse_delay(*strategy.schedule);
  if (!refusal.empty()) return source.refused(kKey, refusal);
  const bool built = source.workload.source != Workload::Source::distir;
  if (built && source.infers())
    return source.refused(kKey, "true delays what training does, and this is inference; use false");
  return std::nullopt;
}

std::vector<Json> legal(const SpaceFacts& facts, const Json& point) {
  return facts.training && is_pipelined(point) ? yes_or_no() : words({});
}

}  // namespace

StrategyKeyDef row() {
  return {.name = kKey,
          .doc =
              "backward passes are split, and gradients of weights wait as long as predicted times say that it hides "
              "messages between stages; what they need takes memory until then",
          .type       = types::flag(),
          .fallback   = false,
          .read       = read_flag<&Strategy::delay_weight_gradients>,
          .settle     = settle,
          .depends_on = {"delay_weight_gradients", "schedule"},
          .write      = write_member<&Strategy::delay_weight_gradients>,
          .search     = {.searched = Searched::on_demand, .turn = 90, .legal = legal},
          .idle       = idle_flag<&Strategy::delay_weight_gradients, unless_pipelined>};
}

}  // namespace foreflow::scenario::definitions::delay_weight_gradients_key
