// Outlining: turns repeated blocks of a program into functions.
#pragma once

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// Replaces blocks of ops that occur repeatedly, such as the equal layers of a transformer, by calls of new functions
// @block_0, @block_1, ...
//
// 1. Two runs of consecutive ops are occurrences of the same block if they agree in their ops, attributes, stated types
//    and the values that they pass to each other. All other operands become parameters, so one function serves any
//    shapes and devices.
// 2. A block has at least `smallest` ops (Constants not counted) and occurs at least `calls` times.
// 3. Blocks are chosen greedily: each time the one whose function saves the most ops, until none is left.
constexpr int kSmallestBlock = 8, kFewestCalls = 2;
ir::Module outline(const ir::Module& module, int smallest = kSmallestBlock, int calls = kFewestCalls);

}  // namespace foreflow::transform
