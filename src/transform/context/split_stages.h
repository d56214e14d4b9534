// The data of the stages of a pipeline, split in different ways.
#pragma once

#include <vector>

#include "foreflow/transform/split_data.h"
#include "transform/layout/staged_shards.h"

namespace foreflow::transform {

// As split_data, variant by variant: `steps[v]` says how the data of the stages of variant v are split; one of one way
// leaves them whole. A Reshard between two variants then leads from all ways of the one to all ways of the other.
//
// Throws RefusalError as `split_data` does.
StagedShards split_stages(const StagedShards& program, const ir::OpTable& ops, const std::vector<DataSplitStep>& steps);

}  // namespace foreflow::transform
