// The function of a block: what its occurrences have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transform/blocks/blocks.h"

namespace foreflow::transform {

struct BlockFunction {
  ir::Function function;
  std::vector<std::vector<ir::ValueId>> arguments;  // per occurrence: values of the function that it stands in
  std::vector<std::vector<ir::ValueId>> results;    // per occurrence: the values there that the call makes
  std::vector<std::vector<size_t>> constants;       // per occurrence: Constants there that the function has now
};

// A value that all occurrences take from outside is a parameter: one for each distinct tuple of values, a weight where
// all are weights. A Constant that no one else reads and that is equal in all of them is part of the function. Results
// are what is used outside of any occurrence.
BlockFunction block_function(const ir::Module& module, const Block& block, const std::string& name);

// What names have in common: "h.0.attn.weight", "h.1.attn.weight" -> "h.attn.weight". Empty when they differ in more
// than numbers.
std::string common_name(const std::vector<std::string_view>& names);

}  // namespace foreflow::transform
