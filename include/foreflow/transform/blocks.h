// Functions for the blocks that a program repeats.
#pragma once

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// Makes functions @block_0, @block_1, ... of the blocks that the program's functions repeat, such as the equal layers
// of a transformer: each time the block whose function saves most ops, of at least `smallest` ops and `calls` calls
// (Constants not counted), until none is left. A block is a stretch of ops that agree in ops, attributes, stated types
// and in what they pass to each other; it takes everything else as parameters, so it serves any shapes and devices.
constexpr int kSmallestBlock = 8, kFewestCalls = 2;
ir::Module outline(const ir::Module& module, int smallest = kSmallestBlock, int calls = kFewestCalls);

}  // namespace foreflow::transform
