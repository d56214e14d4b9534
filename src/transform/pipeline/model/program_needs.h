// The resources that the ops and values of a program need, for any cut into stages.
#pragma once

#include <set>
#include <vector>

#include "transform/pipeline/model/kept_activations.h"
#include "transform/pipeline/model/stage_messages.h"
#include "transform/pipeline/model/stage_weights.h"
#include "transform/pipeline/model/working_sets.h"

namespace foreflow::transform {

struct ProgramNeeds {
  std::vector<Seconds> seconds;  // per op: computes, the mean over the devices of the group
  StageMessages messages;
  StageWeights weights;
  std::vector<KeptActivation> kept;
  std::set<size_t> in_parts;  // values_in_parts
  std::vector<WorkingSet> working_sets;
  // Per value: the bytes that it takes in the memory of tasks (task_peaks.h), and those without what in_parts has.
  std::vector<Bytes> live, live_in_parts;
};

// `price` as in StageModel.
ProgramNeeds needs_of(const ModelledProgram& program, const ir::OpTable& ops, const StageModel::Price& price);

}  // namespace foreflow::transform
