// Shards the stages of a program, and splits their data, each in its own way.
#pragma once

#include "transform/pipeline/cuts/stages.h"
#include "transform/tensor/shard_stages.h"

namespace foreflow::transform {

// The devices of a stage.
int devices_of(const StageSharding& stage);

// The place of each op of a program in its stages, as sharding by stages takes them.
std::vector<OpPlace> places_of(const std::vector<StagedOp>& staged);

struct StageShards {
  StagedShards last;
  // The steps before it, with empty modules: pieces of the program's parameters and results, then parts of these.
  std::vector<Distributed> steps;
};

// Throws RefusalError as `shard` and `split_data` do.
StageShards shard_and_split(const ir::Module& module, const ir::OpTable& ops, const StagesToShard& stages);

// The times of each stage of a program as if all stages were sharded in one way, for each of these:
// StageVariety::times. `prices` are for parts of the batch as `wanted` has them. Empty where the whole program cannot
// be sharded in one of the ways.
std::vector<std::vector<PlaceTime>> times_in_variants(const ir::Module& module, const ir::OpTable& ops,
                                                      const Pipeline& wanted,
                                                      const std::vector<StageSharding>& variants,
                                                      const std::vector<StagedOp>& staged, int stages);

}  // namespace foreflow::transform
