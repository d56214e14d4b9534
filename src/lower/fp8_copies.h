// Copies of weights that products in fp8 read (ir/fp8.h). Transformer Engine keeps them beside the weights from one
// iteration to the next: one as it is for the forward pass, one transposed for gradients of x (module/base.py,
// set_fp8_weights), a byte for each number. A program that only infers has them in place of the weights, as engines
// that serve models do.
#pragma once

#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::lower {

// Per parameter of the entry function: how many such copies are kept of it, 0 to 2. Of weights that are gathered from
// the replicas before they are read, each keeps copies of its part (prepare_te_modules_for_fsdp).
std::vector<int> fp8_copies(const ir::Module& module);

}  // namespace foreflow::lower
