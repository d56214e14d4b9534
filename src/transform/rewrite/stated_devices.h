// States the devices of calls whose functions name devices (see ir/call_devices.h), as streams of a device do.
#pragma once

#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/builder.h"

namespace foreflow::transform {

using MixedInstance = interpret::Instance<interpret::Mixed>;

// Per function: its instance. Null if the function, or a function that calls it, has several instances that differ in
// types or in the devices of calls.
std::vector<const MixedInstance*> instance_by_function(const ir::Module& module,
                                                       const interpret::MixedInterpretation& interpretation);

// Op `o` of `function`, a call, with its devices stated. `instance` is that of `function`.
ir::Op with_stated_devices(ir::FunctionBuilder& builder, const ir::Function& function, size_t o,
                           const MixedInstance* instance);

}  // namespace foreflow::transform
