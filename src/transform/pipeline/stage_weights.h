// What the weights of a program whose stages are estimated need: memory, updates, additions to their gradients.
#pragma once

#include <map>
#include <vector>

#include "foreflow/transform/stage_model.h"
#include "transform/pipeline/gradient_terms.h"
#include "transform/pipeline/modelled_program.h"

namespace foreflow::transform {

struct StageWeights {
  // A weight, or per optimizer op what belongs to its weight, at the forward op that reads the weight first.
  struct Need {
    int32_t anchor;
    Bytes weight       = {};
    Bytes states       = {};
    Bytes gradient     = {};
    Seconds update     = {};
    Seconds accumulate = {};  // a microbatch's gradient, to those of the microbatches before it
  };
  std::vector<Need> needs;
  std::vector<bool> is_trained;           // per parameter: a weight whose gradient is a sum over the samples
  std::vector<ir::ValueId> gradients;     // per parameter: its gradient, if that is a sum over the samples
  GradientTerms terms;                    // of gradients that are summed once a step
  std::map<size_t, Seconds> accumulates;  // of the terms
};

// `seconds`: per op, of computes, the mean over the devices. The rest as in StageModel.
StageWeights weights_of(const ModelledProgram& program, const std::vector<Seconds>& seconds, const ir::OpTable& ops,
                        const StageModel::Price& price);

}  // namespace foreflow::transform
