// Data parallelism with one replica's program in the place of all. Replicas differ only in their data, so one of them
// says what each does; a collective in which all take part has the operand of this replica and an attribute that says
// how many there are:
//
//   %sum = MPIAllreduce[replicas = 6](%dw)        // with the %dw of five others
//
// so that a program of 384 replicas is as long as that of two.
#pragma once

#include "foreflow/ir/replicas.h"
#include "foreflow/transform/layout.h"
#include "foreflow/transform/passes.h"

namespace foreflow::transform {

struct OneReplica {
  ir::Module module;
  int ways;
  int32_t devices;                 // of a replica: the i-th has D(i * devices + 1) and those behind it
  std::vector<Layout> parameters;  // of the program: how replicas have it
  struct Result {
    Layout layout;
    ir::Dims dims;  // of the whole, for one that is flat
  };
  std::vector<Result> results;
};

// What `replicate` does, for one replica.
OneReplica one_replica(const ir::Module& module, const ir::OpTable& ops, const DataParallel& how);

// The program of all replicas.
Distributed unfold(const OneReplica& replica, const ir::OpTable& ops);

}  // namespace foreflow::transform
