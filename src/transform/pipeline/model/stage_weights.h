// The needs of the weights of a program whose stages are estimated: memory, and the times of updates and of additions
// to gradients.
#pragma once

#include <map>
#include <vector>

#include "foreflow/transform/stage_model.h"
#include "transform/pipeline/model/gradient_terms.h"
#include "transform/pipeline/model/modelled_program.h"

namespace foreflow::transform {

struct StageWeights {
  // A need of one weight. A weight has one entry for itself and one for each optimizer op that updates it.
  struct Need {
    int32_t anchor;  // the first forward op that reads the weight; it decides the stage
    Bytes weight       = {};
    Bytes states       = {};
    Bytes gradient     = {};
    Seconds update     = {};
    Seconds accumulate = {};  // to add the gradient of a microbatch to the sum of those before it
  };
  std::vector<Need> needs;
  std::vector<bool> is_trained;           // per parameter: a weight whose gradient is a sum over the samples
  std::vector<ir::ValueId> gradients;     // per parameter: its gradient, if that is a sum over the samples
  GradientTerms terms;                    // of the gradients that are summed once a step
  std::map<size_t, Seconds> accumulates;  // by term: as Need::accumulate
};

// `seconds` is the time of each op on a device, the mean over the devices; 0 for communication. `price` is as in
// StageModel.
StageWeights weights_of(const ModelledProgram& program, const std::vector<Seconds>& seconds, const ir::OpTable& ops,
                        const StageModel::Price& price);

}  // namespace foreflow::transform
