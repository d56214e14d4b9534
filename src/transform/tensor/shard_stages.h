// Tensor parallelism that differs from stage to stage of a pipeline.
#pragma once

#include <cstdint>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/transform/sharding.h"
#include "transform/layout/staged_shards.h"

namespace foreflow::transform {

// When an op runs.
enum class OpRuns : uint8_t {
  anywhere,  // it depends on no parameter, so every device that needs it computes it
  in_stage,  // in a stage, for every microbatch
  update     // once a step, after all microbatches
};

struct OpPlace {
  OpRuns runs = OpRuns::in_stage;
  int stage   = 0;  // of an op that runs in one
};

struct StagesToShard {
  std::vector<StageSharding> variants;  // the distinct ways to shard a stage
  std::vector<OpPlace> places;          // per op of the program; empty: all are in stage 0
  std::vector<size_t> variant_of;       // per stage: index into `variants`; empty: the first one

  size_t variant_of_stage(int stage) const { return variant_of.empty() ? 0 : nth(variant_of, stage); }
};

// Distributes every stage over devices D1, D2, .. of its own, as many as its variant has ways. The device numbers of
// different variants are therefore not different devices: `pipeline` gives every stage its devices.
//
// 1. A value goes from one variant to another by a Reshard, directly behind the op that makes it.
// 2. A weight that several variants read has a copy in each. Each updates its copy, with the same gradient.
// 3. Data that several variants read are those of the first of them.
//
// Throws RefusalError as `shard` does.
StagedShards shard_stages(const ir::Module& module, const ir::OpTable& ops, const StagesToShard& stages);

}  // namespace foreflow::transform
