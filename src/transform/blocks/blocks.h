// Finds blocks: runs of ops that occur repeatedly in the functions of a module, such as the equal layers of a
// transformer. Occurrences of a block agree in their ops, attributes, stated types and the values that their ops pass
// to each other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

struct OpAt {
  size_t function, op;  // indices into the module, and into the function's ops
};

// Returns true if the op is a Constant. Constants do not belong to blocks, since a program may have them anywhere.
bool is_constant(const ir::Op& op);

struct Block {
  // Op i of one occurrence corresponds to op i of the others. Each lies in one function; they do not overlap.
  std::vector<std::vector<OpAt>> occurrences;
  size_t length() const { return occurrences.front().size(); }
};

struct BlockLimits {
  size_t ops   = 8;  // the fewest ops of a block, Constants not counted
  size_t calls = 2;  // the fewest occurrences
  // The cost of a call, in ops. With 1, a block of two layers may save more than a block of one; with 0, it never does.
  int64_t call = 1;
};

// The block whose function saves the most ops; nothing if there is none. A repeating layer may be taken to begin at any
// of its ops: the block begins where the fewest values are live.
std::optional<Block> best_block(const ir::Module& module, const BlockLimits& limits);

}  // namespace foreflow::transform
