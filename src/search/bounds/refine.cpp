#include "search/bounds/refine.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "search/bounds/composed_times.h"
#include "search/bounds/stage_memory.h"
#include "search/bounds/task_times.h"
#include "search/question.h"

namespace foreflow::search {
namespace {

using scenario::Scenario;

Bytes memory_of(const StagedStep& step) { return kRounding * stage_memory(step.strategy, step.demand, step.plan()); }

// One microbatch in one stage runs in the order of the program, whatever the schedule: no backward pass is split, and
// nothing is cut.
bool ignores_schedule(const scenario::Strategy& strategy) {
  const schedule::ScheduleDef& schedule = *strategy.schedule;
  const bool changes_order              = schedule.splits_backward || strategy.delay_weight_gradients ||
                             schedule::stages(schedule.mapping, strategy.schedule_size) > 1;
  return strategy.pp == 1 && strategy.microbatches == 1 && changes_order;
}

// The point with a schedule that keeps this order.
ReadPoint in_order(const ReadPoint& point) {
  ReadPoint same                  = point;
  scenario::Strategy& strategy    = same.scenario->strategy;
  strategy.schedule               = &schedule::schedules().get("1f1b", "schedule");
  strategy.schedule_size          = {.devices = 1, .microbatches = 1, .chunks = 1};
  strategy.delay_weight_gradients = false;
  return same;
}

std::vector<std::vector<ReadPoint>> in_order(const std::vector<std::vector<ReadPoint>>& lists) {
  std::vector<std::vector<ReadPoint>> same;
  for (const std::vector<ReadPoint>& points : lists) {
    same.emplace_back();
    for (const ReadPoint& point : points) same.back().push_back(in_order(point));
  }
  return same;
}

}  // namespace

// A pipeline with one microbatch is cut by the times of the whole batch, but passes the same ops wherever it is cut.
// With whole backward passes nothing is known that Bounds does not know.
Refined Refiner::only_microbatch(const ReadPoint& point, const scenario::Sequential& program,
                                 const std::vector<scenario::Placement>& placements) {
  const Scenario& scenario = *point.scenario;
  if (!scenario.strategy.schedule->splits_backward && !scenario.strategy.delay_weight_gradients) return {};
  Scenario uncut               = scenario;
  uncut.strategy.pp            = 1;
  uncut.strategy.schedule      = &schedule::schedules().get("zb_h1", "schedule");
  uncut.strategy.schedule_size = {.devices = 1, .microbatches = 1, .chunks = 1};
  const auto demand            = demands_.of(uncut, program, point.platform());
  const bool is_split          = demand && demand->stages.front().weight_grad.compute > Seconds(0);
  if (!is_split) return {};
  const KnownPlan& plan    = plans_.of(*scenario.strategy.schedule, scenario.strategy.schedule_size);
  GroupShapes& shapes      = shapes_.on(point.platform());
  const Arrangement& where = shapes.arrangement(scenario, placements);
  return {{kRounding * passage({scenario, *demand, plan, shapes, where}), Bytes(0)}, false};
}

Seconds Refiner::microbatch(const ReadPoint& point, const std::vector<scenario::Placement>& placements) {
  const Scenario& scenario = *point.scenario;
  if (point.is_disturbed()) return Seconds(0);
  if (ignores_schedule(scenario.strategy)) return microbatch(in_order(point), placements);
  const auto program = predictor_.sequential(scenario);
  if (!program) return Seconds(0);
  const auto demand = demands_.uncut(scenario, **program, point.platform());
  if (!demand) return Seconds(0);
  // The times of tasks do not depend on the plan, so any will do.
  const KnownPlan& plan = plans_.of(schedule::schedules().get("1f1b", "schedule"), {.devices = 1, .microbatches = 1});
  GroupShapes& shapes   = shapes_.on(point.platform());
  const StagedStep step(scenario, *demand, plan, shapes, shapes.arrangement(scenario, placements));
  const schedule::StageCosts costs = TaskTimes(step).costs(demand->stages.front());
  return Seconds(costs.forward + costs.input_grad + costs.weight_grad);
}

Refined Refiner::refine(const ReadPoint& point) {
  const Scenario& scenario = *point.scenario;
  if (point.is_disturbed()) return {};
  if (ignores_schedule(scenario.strategy)) return refine(in_order(point));
  const auto program = predictor_.sequential(scenario);
  if (!program) return {};
  if (scenario.strategy.microbatches == 1 && scenario.strategy.pp > 1) return only_microbatch(point, **program, {});
  const auto step = step_of(point);
  if (!step) return {};
  const int chunks    = scenario.strategy.tensor_chunks;
  const bool is_uncut = chunks > 1 && !scenario.strategy.sequence_parallel &&
                        !step->demand.may_be_cut(chunks, scenario.strategy.microbatches);
  const Worlds& worlds = predictor_.worlds();
  const Seconds time   = worlds.count == 0
                             ? composed_time(*step, plays_)
                             : at_risk(spread_of(Seconds(0), in_worlds(*step, point.platform())), worlds.risk);
  return {{kRounding * time, memory_of(*step)}, is_uncut};
}

std::optional<StagedStep> Refiner::step_of(const ReadPoint& point) {
  const Scenario& scenario = *point.scenario;
  const auto program       = predictor_.sequential(scenario);
  if (!program) return std::nullopt;
  demand_.reset();
  if (const auto demand = demands_.of(scenario, **program, point.platform())) demand_.emplace(*demand);
  if (!demand_) return std::nullopt;
  const KnownPlan& plan = plans_.of(*scenario.strategy.schedule, scenario.strategy.schedule_size);
  GroupShapes& shapes   = shapes_.on(point.platform());
  return std::optional<StagedStep>(std::in_place, scenario, *demand_, plan, shapes, shapes.arrangement(scenario));
}

std::vector<Seconds> Refiner::least_in_worlds(const ReadPoint& point) {
  const scenario::Strategy& strategy = point.scenario->strategy;
  if (ignores_schedule(strategy)) return least_in_worlds(in_order(point));
  if (strategy.microbatches == 1 && strategy.pp > 1) return {};
  const auto step = step_of(point);
  return step ? in_worlds(*step, point.platform()) : std::vector<Seconds>();
}

// No path through the schedule leaves a replica, so each replica with slow devices bounds the step.
std::vector<Seconds> Refiner::in_worlds(const StagedStep& step, const platform::Platform& platform) {
  const Seconds undisturbed = composed_time(step, plays_);
  const size_t count        = predictor_.worlds().count;
  if (step.is_mirrored()) return std::vector<Seconds>(count, undisturbed);
  std::map<SlowStages::Replica, Seconds> known;
  std::vector<Seconds> times;
  for (const std::vector<SlowStages::Replica>& slow : slow_.in_worlds(step, platform)) {
    Seconds time = undisturbed;
    for (const SlowStages::Replica& replica : slow) {
      const auto [found, fresh] = known.try_emplace(replica);
      if (fresh) found->second = composed_time(step, plays_, replica);
      time = std::max(time, found->second);
    }
    times.push_back(time);
  }
  return times;
}

// The cut of the model depends on the placement and on ZeRO, so the bound is the least time of all cuts with which the
// stages fit in memory, and the least memory of all.
Bound Refiner::sketch(const std::vector<std::vector<ReadPoint>>& points) {
  const ReadPoint& first   = points.front().front();
  const Scenario& scenario = *first.scenario;
  if (first.is_disturbed()) return {};
  if (ignores_schedule(scenario.strategy)) return sketch(in_order(points));
  const auto program = predictor_.sequential(scenario);
  if (!program) return {};
  std::vector<scenario::Placement> placements;
  for (const ReadPoint& point : points.front()) placements.push_back(point.scenario->placement);
  if (scenario.strategy.microbatches == 1 && scenario.strategy.pp > 1)
    return only_microbatch(first, **program, placements);
  GroupShapes& shapes      = shapes_.on(first.platform());
  const Arrangement& where = shapes.arrangement(scenario, placements);
  const KnownPlan& plan    = plans_.of(*scenario.strategy.schedule, scenario.strategy.schedule_size);
  std::vector<const ReadPoint*> all;
  for (const std::vector<ReadPoint>& list : points) {
    for (const ReadPoint& point : list) all.push_back(&point);
  }
  const Bytes capacity = largest_memory(first.platform());
  std::vector<const void*> seen;  // the stages of cuts
  std::optional<Seconds> least;   // of the cuts that fit in memory
  Bytes needed(std::numeric_limits<double>::infinity());
  for (const ReadPoint* point : all) {
    const auto demand = demands_.of(*point->scenario, **program, point->platform());
    if (!demand) return {};
    if (std::find(seen.begin(), seen.end(), &demand->stages) != seen.end()) continue;
    seen.push_back(&demand->stages);
    // `where` has all placements, and the strategy the values that need least memory.
    const StagedStep step(scenario, *demand, plan, shapes, where);
    const Bytes memory = memory_of(step);
    needed             = std::min(needed, memory);
    if (memory > capacity) continue;
    const Seconds time = kRounding * time_of_tasks(step, plays_);
    least              = std::min(time, least.value_or(time));
  }
  return {least.value_or(Seconds(0)), needed};
}

std::string print(const std::vector<Refined>& all) {
  Json json = Json::array();
  for (const Refined& one : all) json.push(Json::Array{one.time.value(), one.memory.value(), one.is_uncut});
  return json.dump_compact();
}

std::vector<Refined> read_refined(const std::string& text) {
  const Json json = parse_json(text, "bounds");
  std::vector<Refined> all;
  for (const JsonView& one : JsonView(json, "bounds").items()) {
    const auto items = one.items();
    all.push_back({{Seconds(items[0].as_number()), Bytes(items[1].as_number())}, items[2].as_bool()});
  }
  return all;
}

}  // namespace foreflow::search
