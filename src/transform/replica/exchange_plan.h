// The plan of the exchanges between data-parallel replicas: which gradients are reduced and which weights are gathered
// in one message, and at which op of the program each exchange begins and must be complete.
//
// Example: with a bucket size of two weights, the gradients of w4 and w3 are one bucket. Its reduction begins before
// the op behind the one that makes the gradient of w3, and it is complete before the optimizer op that updates w3.
#pragma once

#include "foreflow/transform/replica.h"
#include "transform/layout/layout_domain.h"

namespace foreflow::transform {

constexpr size_t kNoOp = SIZE_MAX;

// A place in the program: before op `op` of the entry or, where that is a call, inside it before op `inner` of the
// called function (or behind its last).
struct Position {
  size_t op = 0, inner = 0;
  auto operator<=>(const Position&) const = default;
};

// A weight whose gradient is a sum over the replicas. Row `row` of optimizer op `op` updates it.
struct TrainedWeight {
  size_t op, row;
  ir::ValueId weight, gradient;
  std::vector<ir::ValueId> states;   // parameters
  std::vector<ir::ValueId> results;  // the new weight and the new states
};

// The whole gradient of a weight, or what one microbatch adds to it.
struct GradientPart {
  size_t weight;       // into ExchangePlan::weights
  ir::ValueId value;   // of the entry
  size_t call;         // the op of the entry that makes it, where that is a call
  ir::ValueId inside;  // what it is in the called function; where an op of that adds it to a sum so far, what is added
  size_t add;          // that op: Add(parameter, inside); kNoOp: none
  Position at;         // it is there from here on, and so are its like on the other devices of a tensor-parallel group
  bool adds, last;     // one of several microbatches' parts; the last one
};

// Gradients of one device that are summed together.
struct Bucket {
  Position at;
  bool inside;  // the call at.op; else in the entry
  std::vector<GradientPart> parts;
  bool adds, last;
};

// Weights of one device that are gathered together: they are there from `at` on.
struct Window {
  Position at;
  bool inside;  // the call at.op; else in the entry
  ir::Device device;
  std::vector<size_t> weights;
};

struct ExchangePlan {
  std::vector<TrainedWeight> weights;
  std::vector<Bucket> buckets;  // in the order of `at`; together they have each weight's gradient
  std::vector<Window> windows;  // in the order of `at`; where replicas keep only a part of each weight
  size_t update = 0;            // before this op all weights are updated: behind the last op of `weights`

  bool empty() const { return weights.empty(); }
};

// Nothing to do but to sum each gradient when it is needed: an empty plan.
ExchangePlan plan_exchange(const ir::Module& module, const LayoutInterpretation& layouts, const DataParallel& how);

}  // namespace foreflow::transform
