#include <algorithm>

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

// A single stage waits for no other, but the gradients of its weights may hide other messages: split backward passes
// are in another order than those of 1f1b. One microbatch runs in the order of the program with any schedule.
std::vector<Json> legal_for_one_stage(const Json& point) {
  const int microbatches = static_cast<int>(whole_or(point, "microbatches", 1));
  if (microbatches == 1) return {};
  std::vector<Json> values = {Json("1f1b")};
  std::vector<foreflow::schedule::Order> orders;
  for (const foreflow::schedule::ScheduleDef& row : foreflow::schedule::schedules()) {
    const auto size = foreflow::schedule::try_size(row, 1, microbatches, {});
    if (!row.splits_backward || !size) continue;
    foreflow::schedule::Order order = row.order(*size);
    if (std::find(orders.begin(), orders.end(), order) != orders.end()) continue;
    orders.push_back(std::move(order));
    values.emplace_back(row.name);
  }
  return values;
}

// Inference has no backward passes: all schedules with one stage a device give the same order, and of the others two
// pipes hold the weights twice.
std::vector<Json> legal(const SpaceFacts& facts, const Json& point) {
  if (!is_pipelined(point)) return facts.training ? legal_for_one_stage(point) : words({});
  if (!facts.training) return words({"1f1b", "interleaved_1f1b"});
  std::vector<Json> values = {Json("1f1b")};
  for (const foreflow::schedule::ScheduleDef& row : foreflow::schedule::schedules()) {
    if (row.name != "1f1b" && row.trains) values.emplace_back(row.name);
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
