// The gradients of a program as the microbatches make them.
#pragma once

#include "cut_calls.h"
#include "exchange_plan.h"

namespace foreflow::transform {

constexpr size_t kNoCall = SIZE_MAX;

// The whole gradient of a weight, or what one microbatch adds to it.
struct GradientPart {
  size_t weight;      // into ExchangePlan::weights
  ir::ValueId value;  // of the entry
  size_t call;        // the op of the entry that makes it, where that is a call
  Position at;        // it is there from here on, and so are its like on the other devices of a tensor-parallel group
  bool adds, last;
};

// In the order of `at`. With `each_microbatch`, calls that add to a sum over the microbatches (Add(parameter, part))
// return the part instead: `cuts` then says which ops are left out of which call.
std::vector<GradientPart> gradient_parts(const ir::Module& module, const LayoutInterpretation& layouts,
                                         const std::vector<TrainedWeight>& weights, bool each_microbatch,
                                         std::map<size_t, CallCuts>& cuts);

// The copies of one op on the devices of a tensor-parallel group follow each other. The last and the first of those
// that op `o` of a function belongs to.
size_t end_of_group(const ir::Function& function, const interpret::Values<LaidOut>& values, size_t o);
size_t begin_of_group(const ir::Function& function, const interpret::Values<LaidOut>& values, size_t o);

}  // namespace foreflow::transform
