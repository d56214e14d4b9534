// When replicas exchange gradients and weights: which travel together, and between which ops of a program.
#pragma once

#include "foreflow/transform/passes.h"
#include "layout_domain.h"

namespace foreflow::transform {

// A weight whose gradient is a sum over the replicas. Row `row` of optimizer op `op` updates it.
struct TrainedWeight {
  size_t op, row;
  ir::ValueId weight, gradient;
  std::vector<ir::ValueId> states;   // parameters
  std::vector<ir::ValueId> results;  // the new weight and the new states
};

// Gradients of one device that are summed together, before op `at`.
struct Bucket {
  size_t at;
  std::vector<size_t> weights;  // into ExchangePlan::weights
  std::vector<ir::ValueId> gradients;
  bool adds, last;  // one microbatch's part of a gradient, the last one
};

// Weights of one device that are gathered together: they are there from op `at` on.
struct Window {
  size_t at;
  ir::Device device;
  std::vector<size_t> weights;
};

struct ExchangePlan {
  ir::Module module;  // the program, with calls cut where something happens inside them
  std::vector<TrainedWeight> weights;
  std::vector<Bucket> buckets;  // in the order of `at`; together they have each weight's gradient
  std::vector<Window> windows;  // in the order of `at`; with DataParallel::zero 3
  size_t update = 0;            // before this op all weights are updated: behind the last op of `weights`

  bool empty() const { return weights.empty(); }
};

// Nothing to do but to sum each gradient when it is needed: an empty plan with the program as it is.
ExchangePlan plan_exchange(ir::Module module, const LayoutInterpretation& layouts, const DataParallel& how);

}  // namespace foreflow::transform
