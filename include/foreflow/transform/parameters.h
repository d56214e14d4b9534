// How many parameters a model has.
#pragma once

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// The parameters of a model as papers count them: the elements of the entry's weights, without the running statistics
// of BatchNormalization (OpDef::statistics) and `mask_weights`. Weights of unknown shape are left out.
double count_parameters(const ir::Module& module);

}  // namespace foreflow::transform
