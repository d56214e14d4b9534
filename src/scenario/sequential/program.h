// Programs from files, made ready for the chain.
#pragma once

#include "foreflow/ir/module.h"

namespace foreflow::scenario {

// Every Float32 of the program as `dtype`: annotations, constants and casts.
ir::Module with_dtype(const ir::Module& module, ir::DType dtype);

// True when a value lives on a device, or an op runs on several.
bool is_placed(const ir::Module& module);

// The module that ends with function `number`.
ir::Module ending_at(const ir::Module& module, size_t number);

}  // namespace foreflow::scenario
