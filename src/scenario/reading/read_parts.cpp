#include "foreflow/scenario/strategy_key.h"
#include "foreflow/workload/preset.h"
#include "scenario/read.h"
#include "scenario/reading/read_rest.h"

namespace foreflow::scenario {
namespace {

// If the placement lists no devices, only their number can be wrong.
std::optional<Refusal> refuse_places(const JsonView& root, const Strategy& strategy, const Placement& placement,
                                     const platform::Platform& platform) {
  if (placement.devices.empty() && static_cast<size_t>(strategy.devices()) <= platform.devices().size())
    return std::nullopt;
  const auto places = try_places(root.where(), strategy, placement, platform);
  return places ? std::nullopt : std::optional(places.refusal());
}

// Returns true if it is known how many devices the strategy has. Until the degrees of stages are settled, they may be
// too few or too many for the pipeline, and `tp` and `cp` are not yet the largest of them.
bool has_known_devices(const KnownKeys& keys, const Strategy& strategy) {
  const bool equal = strategy.stage_tp.empty() && strategy.stage_cp.empty();
  return keys.degrees && (equal || keys.settles_degrees);
}

Json asked_for(Json strategy, Json placement) {
  Json asked;
  asked.set("strategy", std::move(strategy));
  if (!placement.is_null()) asked.set("placement", std::move(placement));
  return asked;
}

}  // namespace

Expected<Scenario> with_strategy(const Scenario& base, Json strategy, Json placement,
                                 const platform::Platform& platform) {
  return with_parts(base, asked_for(std::move(strategy), std::move(placement)), platform);
}

Expected<Scenario> with_parts(const Scenario& base, const Json& parts, const platform::Platform& platform) {
  const JsonView root(parts, base.file);
  Json work;
  std::optional<Workload> other;  // than that of `base`
  if (const Json* stated = parts.find("workload")) {
    work.set("workload", workload::with_preset(*stated));
    if (*work.find("workload") != *base.source.find("workload"))
      other = read_workload(JsonView(work, base.file).at("workload"));
  }
  auto read = try_read_strategy(root.at("strategy"), other ? *other : base.workload);
  if (!read) return read.refusal();
  auto placed = try_read_placement(part_or_empty(root, "placement"));
  if (!placed) return placed.refusal();
  if (auto refusal = refuse_places(root, *read, *placed, platform)) return *std::move(refusal);
  Scenario scenario  = base;
  scenario.strategy  = *std::move(read);
  scenario.placement = *std::move(placed);
  if (other) {
    scenario.workload = *std::move(other);
    scenario.source.set("workload", *work.find("workload"));
  }
  for (const char* key : {"strategy", "placement", "cost", "collective", "host"}) {
    if (const Json* part = parts.find(key)) scenario.source.set(key, *part);
  }
  read_rest(root_of(scenario), scenario);
  scenario.collectives.storage = base.collectives.storage;
  return scenario;
}

std::optional<Refusal> refuse_part(const Scenario& base, const KnownKeys& keys, Json strategy,
                                   const std::optional<Json>& placement, const platform::Platform& platform) {
  const Json asked = asked_for(std::move(strategy), placement.value_or(Json()));
  const JsonView root(asked, base.file);
  const auto read = try_read_strategy(root.at("strategy"), base.workload, keys);
  if (!read) return read.refusal();
  if (!placement) return std::nullopt;
  const auto placed = try_read_placement(part_or_empty(root, "placement"));
  if (!placed) return placed.refusal();
  return has_known_devices(keys, *read) ? refuse_places(root, *read, *placed, platform) : std::nullopt;
}

}  // namespace foreflow::scenario
