// The plan of the exchanges between data-parallel replicas: which gradients are reduced and which weights are gathered
// in one message, and at which op of the program each exchange begins and must be complete.
//
// Example: with a bucket size of two weights, the gradients of w4 and w3 are one bucket. Its reduction begins before
// the op after the one that computes the gradient of w3, and it is complete before the optimizer op that updates w3.
#pragma once

#include "foreflow/transform/replica.h"
#include "transform/layout/layout_domain.h"

namespace foreflow::transform {

constexpr size_t kNoOp = SIZE_MAX;

// A position in the program: before op `op` of the entry. If that op is a call, the position may also lie inside it,
// before op `inner` of the called function, or after its last op.
struct Position {
  size_t op = 0, inner = 0;
  auto operator<=>(const Position&) const = default;
};

// A weight whose gradient is summed over all devices that hold a copy of the weight: those of all replicas and, within
// a replica, the ranks of context parallelism and the ranks that share experts.
struct TrainedWeight {
  size_t op, row;                    // its optimizer op, and the index of the weight among those that the op updates
  ir::ValueId weight, gradient;      // the gradient is the one that this rank computes
  std::vector<ir::ValueId> states;   // parameters
  std::vector<ir::ValueId> results;  // the new weight and the new states
  // The value that the optimizer reads: the gradient, or the result of `sums`.
  ir::ValueId taken;
  // The ops of the entry that sum the gradient over the ranks of the replica, with their conversions. One sum over all
  // copies in all replicas replaces them.
  std::vector<size_t> sums = {};
  // The number of ranks of a replica that hold a copy, and the index of this one among them.
  size_t ranks = 1, rank = 0;
  // For rank 0, which represents the other ranks: the indices of the weights of all ranks in the list of weights, in
  // rank order. Empty for other ranks.
  std::vector<size_t> copies = {};
};

// The gradient of a weight, or the term that one microbatch adds to it. In a pipeline a called function computes the
// term and adds it to the running sum, which it gets as a parameter:
//
//   func @backward(.., %sum) {
//     %dw  = MatMul(..)          // inside
//     %new = Add(%sum, %dw)      // add
struct GradientPart {
  size_t weight;       // index into ExchangePlan::weights
  ir::ValueId value;   // in the entry: the gradient or the new sum
  size_t call;         // the op of the entry that computes it, if that is a call; kNoOp otherwise
  ir::ValueId inside;  // call: the value in the called function; the term, if that function adds it to a running sum
  size_t add;          // call: the op of that addition; kNoOp: there is none
  Position at;         // computed by here, and so are its counterparts on the other devices of a tensor-parallel group
  bool adds, last;     // adds: a term of one of several microbatches; last: that of the last one
};

// Gradients that are summed in one collective: those of one device, or, of weights with copies, those of the devices of
// all ranks.
struct Bucket {
  Position at;
  bool inside;                      // inside the call at.op; false: in the entry
  std::vector<GradientPart> parts;  // of rank 0, then of the next one, ..
  bool adds, last;
  size_t ranks = 1;

  size_t count() const { return parts.size() / ranks; }  // per rank
  const GradientPart& part(size_t rank, size_t i) const { return parts[rank * count() + i]; }
};

// Weights that are gathered in one collective, like the gradients of a bucket. They are needed from `at` on.
struct Window {
  Position at;
  bool inside;                        // inside the call at.op; false: in the entry
  std::vector<ir::Device> ranks;      // their devices
  std::vector<size_t> weights;        // of rank 0, then of the next one, ..
  std::vector<size_t> repeated = {};  // those of them that ops read which compute something again, ascending

  size_t count() const { return weights.size() / ranks.size(); }  // per rank
};

struct ExchangePlan {
  std::vector<TrainedWeight> weights;
  std::vector<Bucket> buckets;  // ascending by `at`; together they contain the gradient of every weight
  std::vector<Window> windows;  // ascending by `at`; empty unless weights are sharded (ZeRO 3)
  size_t update = 0;            // the weights are updated before this op, which follows the last optimizer of `weights`

  bool empty() const { return weights.empty(); }
};

// The plan for `how`. It is empty if nothing more is to be done than to sum each gradient before its use. Throws
// RefusalError if optimizer states should be sharded (`zero`), but no gradient is summed over replicas.
ExchangePlan plan_exchange(const ir::Module& module, const LayoutInterpretation& layouts, const DataParallel& how);

}  // namespace foreflow::transform
