// The amount of arithmetic of an interpreted program, by the work that its ops state.
#pragma once

#include <map>

#include "foreflow/interpret/mixed.h"

namespace foreflow::interpret {

// The flop of all devices, by the type of an op's first tensor; the ops of a function count once for every call. Ops
// whose results are known (shape arithmetic) and ops with values of unknown shape count as 0.
std::map<ir::DType, Flops> flops_by_type(const ir::Module& module, const MixedInterpretation& interpretation);
// The flop of one application of an op that is no call, as they count there.
Flops flops_of(const ir::Function& function, const ir::Op& op, const Values<Mixed>& values);
Flops total_flops(const ir::Module& module, const MixedInterpretation& interpretation);

}  // namespace foreflow::interpret
