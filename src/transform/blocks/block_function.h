// Builds the function that replaces the occurrences of a block.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transform/blocks/blocks.h"

namespace foreflow::transform {

struct BlockFunction {
  ir::Function function;
  // Per occurrence, in terms of the function that contains it:
  std::vector<std::vector<ir::ValueId>> arguments;  // the arguments of the call
  std::vector<std::vector<ir::ValueId>> results;    // the values that the call defines
  std::vector<std::vector<size_t>> constants;       // the Constant ops that moved into the new function
};

// The function of `block`.
//
// 1. An operand defined outside of the block becomes a parameter. Operands that are the same value in every occurrence
//    share one. It is a weight if it is a weight in all occurrences.
// 2. A Constant that is equal in all occurrences, and that nothing else reads, becomes part of the function.
// 3. The results are the values that are used outside of at least one occurrence.
BlockFunction block_function(const ir::Module& module, const Block& block, const std::string& name);

// The common part of names that differ only in numbers: "h.0.attn.weight", "h.1.attn.weight" -> "h.attn.weight". Empty
// if they differ in anything else.
std::string common_name(const std::vector<std::string_view>& names);

}  // namespace foreflow::transform
