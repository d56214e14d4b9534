// Blocks that the functions of a module repeat: stretches of ops that agree in op, attributes, stated types and in what
// they pass to each other, such as the equal layers of a transformer.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

struct OpAt {
  size_t function, op;  // indices into the module, and into the function's ops
};

// A Constant stands outside blocks: programs may put it anywhere.
bool is_constant(const ir::Op& op);

struct Block {
  std::vector<std::vector<OpAt>> occurrences;  // op i of one is op i of the others; each in one function, none overlap
  size_t length() const { return occurrences.front().size(); }
};

struct BlockLimits {
  size_t ops   = 8;  // of a block, Constants not counted
  size_t calls = 2;
  // What a call costs, in ops: with 1, two layers at a time may save more than one; with 0, a block is a single layer.
  int64_t call = 1;
};

// The block whose function saves most ops. Where it could begin at several places (any op of a layer), the place that
// the fewest values cross. Nothing when no block is left.
std::optional<Block> best_block(const ir::Module& module, const BlockLimits& limits);

}  // namespace foreflow::transform
