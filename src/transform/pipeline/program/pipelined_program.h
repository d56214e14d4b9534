// The facts about a program that becomes a pipeline, known before its main function is written.
#pragma once

#include <vector>

#include "foreflow/schedule/plan.h"
#include "foreflow/transform/pipeline.h"
#include "transform/layout/layout_domain.h"
#include "transform/pipeline/cuts/stages.h"
#include "transform/pipeline/program/placed_values.h"
#include "transform/pipeline/program/stage_devices.h"
#include "transform/pipeline/program/wide_sums.h"

namespace foreflow::transform {

// Returns true if backward passes are split into tasks for input and weight gradients: because the plan has such tasks,
// or because `wanted` delays weight gradients.
bool splits_backward(const Pipeline& wanted, const schedule::Plan& plan);

struct PipelinedProgram {
  // As of run_schedule. The module must outlive it.
  PipelinedProgram(const ir::Module& module, const Pipeline& wanted, const schedule::Plan& plan,
                   const DecidedStages* decided);
  PipelinedProgram(const PipelinedProgram&)            = delete;  // `values` are of `layouts`
  PipelinedProgram& operator=(const PipelinedProgram&) = delete;

  // Throws RefusalError for an op that needs the samples of several microbatches.
  void check_ops() const;

  int pipe_of(int part) const { return part < plan.microbatches_of(0) ? 0 : 1; }
  // The microbatch of a value: `part`, unless all share it.
  int slot(ir::ValueId id, int part) const { return shared[ir::index(id)] ? kEveryMicrobatch : part; }
  // The type of a microbatch's part of a value.
  ir::Type local(ir::ValueId id) const {
    return local_type(values[ir::index(id)].value.type, values[ir::index(id)].layout, microbatches);
  }

  const ir::Module& module;
  const ir::Function& function;
  const int microbatches;  // that the batch is split into
  const int run;           // of them
  const LayoutInterpretation layouts;
  const interpret::Values<LaidOut>& values;
  const std::vector<StagedOp> staged;
  const schedule::Plan plan;       // with weight gradients delayed, where `wanted` says so
  const std::vector<bool> summed;  // per value: the update or the results need it as a sum over microbatches
  // Per value: all microbatches share it. Such are
  //
  // 1. parameters that are not split;
  // 2. sums over the microbatches;
  // 3. other values that the update reads (a gradient that depends on no data is the same for every microbatch);
  // 4. all values, if there is only one microbatch.
  const std::vector<bool> shared;
  const StageDevices devices;
  const WideSums wide;
};

}  // namespace foreflow::transform
