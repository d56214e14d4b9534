// Which trained weights the stages of a pipeline read, and which gradients they make, in what order.
#pragma once

#include <vector>

#include "foreflow/transform/stage_model.h"
#include "transform/layout/layout_domain.h"
#include "transform/pipeline/cuts/op_prices.h"
#include "transform/pipeline/cuts/stages.h"

namespace foreflow::transform {

// The program of a group of devices, whose batch is divided into `parts`, and its stages.
struct StagedProgram {
  const ir::Function& function;
  const std::vector<StagedOp>& staged;
  const interpret::Values<LaidOut>& values;
  const std::vector<int32_t>& makers;         // per value, as ir::makers_of
  const std::vector<ir::ValueId>& gradients;  // per parameter: its gradient, if that is a sum over the samples
  const std::vector<Seconds>& seconds;        // per op: computes, the mean over the devices
  const std::vector<int32_t>& messages;       // per op: its number among StageModel::messages; -1: none
  const DevicesOfProgram& represented;
  int parts;
  size_t devices;  // of the program, of which each of two shards is one
};

// StageNeed::trained of each stage.
std::vector<std::vector<StageNeed::Trained>> trained_reads(const StagedProgram& program, size_t stages);

}  // namespace foreflow::transform
