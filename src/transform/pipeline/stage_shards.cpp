#include "transform/pipeline/stage_shards.h"

#include <algorithm>

#include "foreflow/transform/split_data.h"
#include "transform/context/split_stages.h"
#include "transform/pipeline/program/stage_costs.h"

namespace foreflow::transform {
namespace {

// The steps in which contexts and experts split the stages, per step one of each variant.
std::vector<std::vector<DataSplitStep>> steps_of(const std::vector<StageSharding>& variants) {
  std::vector<std::vector<DataSplitStep>> steps;
  for (const StageSharding& variant : variants) {
    const auto own = possible_split_steps(variant.cp, variant.ep, variant.sharding.sequence ? variant.ways : 1,
                                          variant.attention, variant.reduce_dtype);
    steps.resize(own.size());
    for (size_t i = 0; i < own.size(); ++i) steps[i].push_back(own[i]);
  }
  std::erase_if(steps, [](const std::vector<DataSplitStep>& step) {
    return std::all_of(step.begin(), step.end(), [](const DataSplitStep& one) { return one.ways == 1; });
  });
  return steps;
}

double all_of(const schedule::StageCosts& stage) { return stage.forward + stage.input_grad + stage.weight_grad; }

std::vector<PlaceTime> times_in_variant(const ir::Module& module, const ir::OpTable& ops, const Pipeline& wanted,
                                        const StageSharding& variant, const std::vector<StagedOp>& staged, int stages) {
  StagedShards sharded                = shard_and_split(module, ops, {{variant}, places_of(staged), {}}).last;
  const ir::Module& made              = sharded.program.module;
  const auto layouts                  = interpret_layouts(made, wanted.size.microbatches, "microbatches");
  const auto& values                  = layouts.entry().values;
  StagePrices prices                  = wanted.prices;
  prices.hop                          = {};  // what goes from stage to stage is not asked for
  const int devices                   = devices_of(variant);
  const std::vector<StagedOp> decided = staged_as_decided(made, values, {std::move(sharded.stages), {}});
  const auto costs                    = [&] {
    return stage_costs(made.entry(), decided, values, prices, wanted.size.microbatches * prices.replicas, stages,
                                          std::vector<StageGroup>(static_cast<size_t>(stages), {0, devices}))
        .stages;
  };
  std::vector<PlaceTime> times;
  for (const schedule::StageCosts& stage : costs()) times.push_back({devices * all_of(stage), devices * stage.forward});
  if (wanted.speeds.empty() || !wanted.prices.op) return times;
  prices.op = [&](const ir::OpCall& call, std::span<const ir::Type> outputs) {
    return call.def.role == ir::Role::communication ? wanted.prices.op(call, outputs) : Seconds(0);
  };
  const auto messages = costs();
  for (size_t stage = 0; stage < times.size(); ++stage) times[stage].messages = devices * all_of(messages[stage]);
  return times;
}

}  // namespace

int devices_of(const StageSharding& stage) { return stage.ways * stage.cp * replicas_in_group(stage.cp, stage.ep); }

std::vector<OpPlace> places_of(const std::vector<StagedOp>& staged) {
  std::vector<OpPlace> places;
  for (const StagedOp& op : staged) {
    const OpRuns runs = op.phase == StagePhase::anywhere ? OpRuns::anywhere
                        : op.phase == StagePhase::update ? OpRuns::update
                                                         : OpRuns::in_stage;
    places.push_back({runs, op.stage});
  }
  return places;
}

StageShards shard_and_split(const ir::Module& module, const ir::OpTable& ops, const StagesToShard& stages) {
  StageShards made{shard_stages(module, ops, stages), {}};
  for (const std::vector<DataSplitStep>& step : steps_of(stages.variants)) {
    StagedShards split = split_stages(made.last, ops, step);
    made.steps.push_back({{}, std::move(made.last.program.parameters), std::move(made.last.program.results)});
    made.last = std::move(split);
  }
  return made;
}

std::vector<std::vector<PlaceTime>> times_in_variants(const ir::Module& module, const ir::OpTable& ops,
                                                      const Pipeline& wanted,
                                                      const std::vector<StageSharding>& variants,
                                                      const std::vector<StagedOp>& staged, int stages) {
  std::vector<std::vector<PlaceTime>> times;
  try {
    for (const StageSharding& variant : variants)
      times.push_back(times_in_variant(module, ops, wanted, variant, staged, stages));
  } catch (const RefusalError&) {
    return {};
  }
  return times;
}

}  // namespace foreflow::transform
