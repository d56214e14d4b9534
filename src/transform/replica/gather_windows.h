// Which weights are gathered together, and when, where replicas keep only a part of each (ZeRO 3, FSDP).
#pragma once

#include "transform/replica/exchange_plan.h"

namespace foreflow::transform {

// Weights of one device are gathered in units of `limit` bytes, in the order of their first use. A unit is there while
// it is used; it is gathered anew for the backward pass, for another call, and where others have been used in between.
// In the order of `at`.
std::vector<Window> gather_windows(const ir::Module& module, const LayoutInterpretation& layouts,
                                   const std::vector<TrainedWeight>& weights, Bytes limit);

}  // namespace foreflow::transform
