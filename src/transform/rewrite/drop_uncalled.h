// Removes functions that are not called any more.
#pragma once

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// The module without the functions that the entry does not reach. The order of the others is kept.
ir::Module drop_uncalled(ir::Module module);

}  // namespace foreflow::transform
