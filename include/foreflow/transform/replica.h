// Data parallelism: all replicas written out, or one replica's program in the place of all.
#pragma once

#include <vector>

#include "foreflow/base/units.h"
#include "foreflow/ir/replicas.h"
#include "foreflow/transform/layout.h"
#include "foreflow/transform/pieces.h"

namespace foreflow::transform {

// Data parallelism: `ways` copies of the program on groups of devices; each has a part of the batch; sums over the
// batch (gradients) are all-reduced before they are used. What the replicas do before the first of these sums is a
// function that each of them calls on its own devices.
//
// `zero` splits what replicas would otherwise all keep (Rajbhandari et al., 2020), tensor by tensor in flat parts: 1
// the optimizer states, 2 the gradients too, 3 the weights too. Gradients are then reduce-scattered, every replica
// updates its part, and new weights are all-gathered; with 3 they stay where they are, and a unit of weights is
// gathered before it is used in the forward and again in the backward pass. With 2 and 3 gradients are scattered as
// soon as they are made, in every microbatch; otherwise they are summed over the microbatches first. `overlap`: sums
// and gathers run on streams `comm` beside the computation: a sum begins when the last gradient of its bucket is made,
// and a unit of weights is gathered while the one before it is at work. `bucket`: gradients, in the order in which they
// are made, travel together as soon as they are so many bytes, and so do weights in the order in which they are used;
// 0: each by itself.
struct DataParallel {
  int ways     = 1;
  int zero     = 0;
  bool overlap = false;
  Bytes bucket{0};

  // There is more to do than to all-reduce each gradient before its use.
  bool shares() const { return ways > 1 && (zero > 0 || overlap || bucket > Bytes(0)); }
};
Distributed replicate(ir::Module module, const ir::OpTable& ops, const DataParallel& how);

// One replica's program in the place of all. Replicas differ only in their data, so one of them
// says what each does; a collective in which all take part has the operand of this replica and an attribute that says
// how many there are:
//
//   %sum = MPIAllreduce[replicas = 6](%dw)        // with the %dw of five others
//
// so that a program of 384 replicas is as long as that of two.
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

// What `replicate` does, for one replica. Where replicas only all-reduce their gradients, values are called as in the
// first of those that `replicate` writes out.
OneReplica one_replica(ir::Module module, const ir::OpTable& ops, const DataParallel& how);

// The program of all replicas of `one_replica`.
Distributed unfold(const OneReplica& replica, const ir::OpTable& ops);

}  // namespace foreflow::transform
