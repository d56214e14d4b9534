// Writes the update of the weights in the program of one replica, if the replicas shard it.
#pragma once

#include "transform/replica/exchange_plan.h"
#include "transform/replica/replica_exchange.h"

namespace foreflow::transform {

// The program of one replica, which is being written.
struct ReplicaUpdate {
  ir::FunctionBuilder& builder;
  const ir::Function& entry;  // the program without replicas
  const ExchangePlan& plan;
  const interpret::Values<LaidOut>& values;
  ReplicaExchange& messages;
  const DataParallel& how;
  std::vector<ir::ValueId>& map;          // by value of `entry`; results of optimizers are added
  const std::vector<ir::ValueId>& given;  // by value: parameters
  // By bucket: the sums of every rank, unless microbatches add to them.
  const std::map<size_t, std::vector<ir::ValueId>>& reduced;
};

// Updates the weights bucket by bucket. With overlap, the new weights of a bucket are gathered while its devices update
// the next one.
void write_update(const ReplicaUpdate& update);

}  // namespace foreflow::transform
