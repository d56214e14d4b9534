#include "scenario/idle_reasons.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::schedule_key {
namespace {

void read(const JsonView& value, Strategy& strategy) {
  strategy.schedule = &foreflow::schedule::schedules().get(value.as_string(), value.where());
}

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  // Otherwise the file says whether it trains.
  const bool built = source.workload.source != Workload::Source::distir;
  if (built && !source.infers() && !strategy.schedule->trains)
    return source.refused("schedule",
                          "\"" + std::string(strategy.schedule->name) + "\" has no backward passes; use 1f1b to train");
  return std::nullopt;
}

Json write(const Strategy& strategy) { return strategy.schedule->name; }

// True for schedules that one device can run. Those that split backward passes or the model into chunks order its ops
// in other ways than 1f1b, and so hide other messages.
bool runs_alone(const foreflow::schedule::ScheduleDef& schedule, const Json& point) {
  return bool(foreflow::schedule::try_size(schedule, 1, static_cast<int>(whole_or(point, "microbatches", 1)), {}));
}

// Inference has no backward passes, so all schedules give the same order.
std::vector<Json> legal(const SpaceFacts& facts, const Json& point) {
  if (!facts.training) return {};
  std::vector<Json> values = {Json("1f1b")};
  for (const foreflow::schedule::ScheduleDef& row : foreflow::schedule::schedules()) {
    if (row.name != "1f1b" && row.trains && (is_pipelined(point) || runs_alone(row, point)))
      values.emplace_back(row.name);
  }
  return values;
}

std::string idle(const Scenario& scenario) {
  const Strategy& strategy = scenario.strategy;
  return unless(strategy.schedule->name == "1f1b" || strategy.pp > 1 || strategy.microbatches > 1,
                "there is one stage and one microbatch");
}

}  // namespace

StrategyKeyDef row() {
  return {.name       = "schedule",
          .doc        = "the order of the microbatches (`foreflow list schedules`, drawn by `foreflow schedule NAME`)",
          .type       = types::one_of(foreflow::schedule::schedules().names()),
          .fallback   = "1f1b",
          .read       = read,
          .settle     = settle,
          .depends_on = {"schedule"},
          .write      = write,
          .search     = {.searched = Searched::always, .turn = 20, .legal = legal},
          .idle       = idle};
}

}  // namespace foreflow::scenario::definitions::schedule_key
