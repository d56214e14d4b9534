// A program whose stages are sharded in different ways, before it is a pipeline.
#pragma once

#include <cstddef>
#include <vector>

#include "foreflow/transform/pieces.h"

namespace foreflow::transform {

// A variant is one of the ways in which stages are sharded, and their data split.
struct StagedShards {
  Distributed program;
  // Per op of the program its stage and its variant; of a Reshard, those that receive.
  std::vector<int> stages;
  std::vector<size_t> variants;
  std::vector<size_t> parameter_variants;
};

}  // namespace foreflow::transform
