// Calls of functions that name devices (those of their streams) say which devices these are.
#pragma once

#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/builder.h"

namespace foreflow::transform {

using MixedInstance = interpret::Instance<interpret::Mixed>;

// Per function: its instance; null where it, or a function that calls it, has several that differ in types or in the
// devices of calls.
std::vector<const MixedInstance*> instance_by_function(const ir::Module& module,
                                                       const interpret::MixedInterpretation& interpretation);

// Call `o` of `function`, whose instance is known, with its devices stated.
ir::Op with_stated_devices(ir::FunctionBuilder& builder, const ir::Function& function, size_t o,
                           const MixedInstance* instance);

}  // namespace foreflow::transform
