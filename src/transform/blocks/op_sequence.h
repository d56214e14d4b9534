// All ops of a module, Constants aside, as one sequence in which equal tokens are ops that could be one op of one
// function.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transform/blocks/blocks.h"

namespace foreflow::transform {

struct OpSequence {
  static constexpr int64_t kMostResults = int64_t{1} << 32;

  struct Source {         // of an operand
    int64_t place  = -1;  // in the sequence; -1: a parameter, a Constant, or left out
    int64_t result = 0;
  };

  std::vector<int32_t> tokens;    // op, attributes, operands left out, number of results, stated types; functions end
                                  // with tokens of their own
  std::vector<OpAt> ops;          // per token
  std::vector<int64_t> crossing;  // per token: values of ops that are made before it and used at or after it
  std::vector<Source> sources;
  std::vector<size_t> first_source;  // per token, and the end

  std::span<const Source> sources_of(size_t i) const {
    return std::span(sources).subspan(first_source[i], first_source[i + 1] - first_source[i]);
  }
};

OpSequence op_sequence(const ir::Module& module);

}  // namespace foreflow::transform
