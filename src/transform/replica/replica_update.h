// The update of one replica's weights, where replicas share it.
#pragma once

#include "transform/replica/exchange_plan.h"
#include "transform/replica/replica_exchange.h"

namespace foreflow::transform {

// A program of one replica that is being written.
struct ReplicaUpdate {
  ir::FunctionBuilder& builder;
  const ir::Function& entry;  // the program without replicas
  const ExchangePlan& plan;
  const interpret::Values<LaidOut>& values;
  ReplicaExchange& messages;
  const DataParallel& how;
  std::vector<ir::ValueId>& map;                 // by value of `entry`; results of optimizers are added
  const std::vector<ir::ValueId>& given;         // by value: parameters
  const std::map<size_t, ir::ValueId>& reduced;  // by bucket: its sums, unless they are added up over the microbatches
};

// Bucket by bucket; where communication has its own stream, new weights are gathered while the next bucket is updated.
void write_update(const ReplicaUpdate& update);

}  // namespace foreflow::transform
