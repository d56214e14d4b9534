// Plans the gathers of sharded weights (ZeRO 3, FSDP): which weights travel in one collective, and when.
#pragma once

#include "transform/replica/exchange_plan.h"

namespace foreflow::transform {

// The gathers, ascending by `at`. The weights of one device form units of `limit` bytes, in the order of their first
// use. A unit stays while it is in use. It is gathered again
//
//   1. for the backward pass,
//   2. for another call, and
//   3. if several other units were used since its last use, unless that computed something again and the gradients of
//      the same segment use it next: until then it stays.
//
// `blocks`: per weight its unit, instead of units of that size; empty: none. `keeps`: outside of calls a unit stays
// from its first use to its last.
std::vector<Window> gather_windows(const ir::Module& module, const LayoutInterpretation& layouts,
                                   const std::vector<TrainedWeight>& weights, Bytes limit,
                                   const std::vector<size_t>& blocks, bool keeps);

}  // namespace foreflow::transform
