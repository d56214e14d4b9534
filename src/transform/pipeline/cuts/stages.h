// Assigns each op to a pipeline stage and a phase.
#pragma once

#include <functional>
#include <vector>

#include "foreflow/base/refusal.h"
#include "foreflow/schedule/plan.h"
#include "transform/pipeline/cuts/cuts.h"

namespace foreflow::transform {

struct StagedOp {
  StagePhase phase;
  int stage;  // the virtual stage, from 0; of a transfer the one that receives; meaningless for the phase `anywhere`,
              // and for `update` but of a Reshard
};

// Returns true if ops of the phase belong to the tasks of a stage.
inline bool is_task(StagePhase phase) {
  return phase == StagePhase::forward || phase == StagePhase::backward || phase == StagePhase::weight_grad;
}

// The stages of a program that are decided already, because they are sharded in different ways.
struct DecidedStages {
  std::vector<int> stage;   // per op
  std::vector<int> groups;  // per device of the schedule: number of its devices
};
// The phases of its ops.
std::vector<StagedOp> staged_as_decided(const ir::Module& module, const interpret::Values<LaidOut>& values,
                                        const DecidedStages& decided);

// How the stages of a program that is not sharded yet will be sharded.
struct StageVariety {
  std::vector<int> devices;      // per stage, as StageLimits has them
  std::vector<size_t> variants;  // per stage
  // For ops in so many stages: the times of each stage in each variant, as CutPlace has them, those of this stage
  // alone. Empty where some variant suits only a part of the program.
  std::function<std::vector<std::vector<PlaceTime>>(const std::vector<StagedOp>& staged, int stages)> times;
};

// Cuts the forward ops as `wanted` says into the virtual stages of `plan`. A backward op belongs to the stage of its
// anchor (pipeline/phases/anchors.h). Throws RefusalError if there are too few places to cut.
std::vector<StagedOp> assign_stages(const ir::Module& module, const interpret::Values<LaidOut>& values,
                                    const Pipeline& wanted, const schedule::Plan& plan,
                                    const StageVariety* variety = nullptr);

// Says that there are too few places to cut; if there are enough ops, because recomputed blocks stay whole. `phases`:
// of the ops of the entry.
RefusalError too_few_ops(const ir::Module& module, const std::vector<StagePhase>& phases, size_t stages);

// The limits of each stage by `wanted`; its shares are equal unless `wanted` has others. Stages that share a device
// divide its memory, and its activations in flight, evenly.
StageLimits limits_of(const Pipeline& wanted, const schedule::Plan& plan);

Cut cut_of(const ir::Function& function, const std::vector<StagedOp>& staged, int stages);

}  // namespace foreflow::transform
