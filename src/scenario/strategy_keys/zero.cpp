#include "foreflow/schedule/schedule.h"
#include "scenario/idle_reasons.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::zero_key {
namespace {

constexpr int64_t kStages = 3;

void read(const JsonView& value, Strategy& strategy) {
  const int64_t zero = value.as_int();
  if (zero < 0 || zero > kStages) value.fail(std::to_string(zero) + " is no stage of ZeRO; use 0, 1, 2 or 3");
  strategy.zero = static_cast<int>(zero);
}

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  if (strategy.zero > 0 && source.infers())
    return source.refused("zero",
                          std::to_string(strategy.zero) + " splits what training keeps, and this is inference; use 0");
  return std::nullopt;
}

std::vector<Json> legal(const SpaceFacts& facts, const Json& point) {
  return has_copies(facts, point) ? whole_values({0, 1, 2, 3}) : words({});
}

// The partners of two pipes add their gradients up before replicas do, so devices keep them whole.
std::string idle(const Scenario& scenario) {
  const Strategy& strategy = scenario.strategy;
  const std::string why    = idle_flag<&Strategy::zero, unless_copied>(scenario);
  if (!why.empty() || strategy.zero != 2) return why;
  return unless(foreflow::schedule::pipes(*strategy.schedule) == 1,
                "the two pipes of " + std::string(strategy.schedule->name) + " keep gradients whole, as with 1");
}

}  // namespace

StrategyKeyDef row() {
  return {
      .name = "zero",
      .doc =
          "1: optimizer states (and master weights) are split over the ranks that hold copies of a weight, which are "
          "dp x cp, of experts fewer; 2: gradients too, 3: weights too (Rajbhandari et al., 2020; FSDP)",
      .type        = types::whole(0, kStages),
      .fallback    = 0,
      .read        = read,
      .settle      = settle,
      .depends_on  = {"zero"},
      .write       = write_member<&Strategy::zero>,
      .of_replicas = true,
      .search      = {.searched   = Searched::always,
                      .turn       = 60,
                      .legal      = legal,
                      .fastest    = Open::last,
                      .leanest    = Open::last,
                      .moves_cuts = true},
      .idle        = idle};
}

}  // namespace foreflow::scenario::definitions::zero_key
