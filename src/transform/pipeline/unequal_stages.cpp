// A pipeline whose stages are sharded in different ways: the program of one device is cut into stages, then each stage
// is sharded and its data are split in its own way, then the schedule is written.
#include <algorithm>

#include "foreflow/base/refusal.h"
#include "foreflow/transform/simplify.h"
#include "transform/pipeline/pipeliner.h"
#include "transform/pipeline/program/pipelined_program.h"
#include "transform/pipeline/program/stage_devices.h"
#include "transform/pipeline/stage_shards.h"
#include "transform/pipeline/step_plan.h"
#include "transform/pipeline/weight_gradients/weight_gradients.h"

namespace foreflow::transform {
namespace {

bool same(const StageSharding& a, const StageSharding& b) {
  return a.ways == b.ways && a.sharding.sequence == b.sharding.sequence && a.cp == b.cp;
}

// Per stage: its sharding, an index into `shards`, which is per device.
std::vector<size_t> device_of_stages(const StageDevices& devices, int stages,
                                     const std::vector<StageSharding>& shards) {
  std::vector<size_t> all;
  for (int stage = 0; stage < stages; ++stage) {
    const auto first = static_cast<size_t>(devices.of(0, stage));
    for (int pipe = 1; pipe < devices.pipes(); ++pipe) {
      const auto other = static_cast<size_t>(devices.of(pipe, stage));
      if (same(shards[first], shards[other])) continue;
      throw RefusalError(
          Cause::schedule, "pipeline: stages",
          "stage " + std::to_string(stage + 1) + " is on devices " + std::to_string(first + 1) + " and " +
              std::to_string(other + 1) +
              " of the schedule, which must be sharded in the same way; use the same degrees there, or 1f1b");
    }
    all.push_back(first);
  }
  return all;
}

// The program, cut where the speed of the stages, which grows with their devices, says.
struct CutProgram {
  ir::Module module;
  schedule::Plan plan;
  StagesToShard stages;
  std::vector<StagedOp> staged;
};

// The distinct ways to shard the stages.
StagesToShard variants_of(const std::vector<size_t>& device_of, const std::vector<StageSharding>& shards) {
  StagesToShard stages;
  for (const size_t device : device_of) {
    const auto known = std::find_if(stages.variants.begin(), stages.variants.end(),
                                    [&](const StageSharding& other) { return same(other, shards[device]); });
    stages.variant_of.push_back(static_cast<size_t>(known - stages.variants.begin()));
    if (known == stages.variants.end()) stages.variants.push_back(shards[device]);
  }
  return stages;
}

CutProgram cut_program(const ir::Module& module, const ir::OpTable& ops, const Pipeline& wanted,
                       const std::vector<StageSharding>& shards) {
  FOREFLOW_CHECK(shards.size() == static_cast<size_t>(wanted.size.devices), "every device has its sharding");
  const std::optional<ir::Module> joined = try_join_slices(module, ops);
  CutProgram program{joined ? *joined : module, plan_of(module, wanted), {}, {}};
  const auto stages = static_cast<size_t>(program.plan.stages());
  program.stages    = variants_of(device_of_stages(StageDevices(program.plan), program.plan.stages(), shards), shards);
  Pipeline cut      = wanted;
  if (cut.shares.empty()) cut.shares.assign(stages, 1);
  StageVariety variety{{}, program.stages.variant_of, [&](const std::vector<StagedOp>& staged, int parts) {
                         return times_in_variants(program.module, ops, wanted, program.stages.variants, staged, parts);
                       }};
  for (size_t s = 0; s < stages; ++s) {
    variety.devices.push_back(devices_of(program.stages.variants[program.stages.variant_of[s]]));
    if (s < cut.shares.size()) cut.shares[s] *= variety.devices.back();
  }
  const auto layouts    = interpret_layouts(program.module, wanted.size.microbatches, "microbatches");
  program.staged        = assign_stages(program.module, layouts.entry().values, cut, program.plan, &variety);
  program.stages.places = places_of(program.staged);
  return program;
}

// The same program with the ops of a split backward pass in the stages of those that they come from.
StagedShards with_backward_split(StagedShards sharded, const ir::OpTable& ops) {
  SplitBackward split = split_backward(sharded.program.module, ops);
  std::vector<int> stages;
  std::vector<size_t> variants;
  for (const size_t o : split.origin) {
    stages.push_back(sharded.stages[o]);
    variants.push_back(sharded.variants[o]);
  }
  sharded.program.module = std::move(split.module);
  sharded.stages         = std::move(stages);
  sharded.variants       = std::move(variants);
  return sharded;
}

}  // namespace

ShardedPipeline pipeline_of_shards(const ir::Module& module, const ir::OpTable& ops, const Pipeline& wanted,
                                   const std::vector<StageSharding>& shards) {
  const CutProgram program = cut_program(module, ops, wanted, shards);
  StageShards split        = shard_and_split(program.module, ops, program.stages);
  StagedShards sharded     = std::move(split.last);
  ShardedPipeline made{std::move(split.steps), {}};
  if (splits_backward(wanted, program.plan)) sharded = with_backward_split(std::move(sharded), ops);
  DecidedStages decided{std::move(sharded.stages), {}};
  for (const StageSharding& device : shards) decided.groups.push_back(devices_of(device));
  made.pipelined = run_schedule(sharded.program.module, ops, wanted, program.plan, &decided);
  made.sharded.push_back({{}, std::move(sharded.program.parameters), std::move(sharded.program.results)});
  return made;
}

Cut cut_of_shards(const ir::Module& module, const ir::OpTable& ops, const Pipeline& wanted,
                  const std::vector<StageSharding>& shards) {
  const CutProgram program = cut_program(module, ops, wanted, shards);
  return cut_of(program.module.entry(), program.staged, program.plan.stages());
}

}  // namespace foreflow::transform
