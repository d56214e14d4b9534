// Functions that nothing calls any more.
#pragma once

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// The module with the entry and what it reaches, in their order.
ir::Module drop_uncalled(ir::Module module);

}  // namespace foreflow::transform
