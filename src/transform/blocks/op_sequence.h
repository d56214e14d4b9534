// All ops of a module, except Constants, as one sequence of tokens, so that repeated blocks become repeated substrings.
// Ops with equal tokens could be the same op of one function.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transform/blocks/blocks.h"

namespace foreflow::transform {

struct OpSequence {
  static constexpr int64_t kMostResults = int64_t{1} << 32;

  // The origin of an operand.
  struct Source {
    int64_t place  = -1;  // index of its op in the sequence; -1: a parameter, a Constant, or absent
    int64_t result = 0;   // which of the results of that op
  };

  // A token stands for op, attributes, absent operands, number of results and stated types. Every function ends with a
  // token that occurs nowhere else.
  std::vector<int32_t> tokens;
  std::vector<OpAt> ops;          // per token
  std::vector<int64_t> crossing;  // per token: number of values computed before it and used at or after it
  std::vector<Source> sources;
  std::vector<size_t> first_source;  // per token, and the end: index into `sources`

  std::span<const Source> sources_of(size_t i) const {
    return std::span(sources).subspan(first_source[i], first_source[i + 1] - first_source[i]);
  }
};

OpSequence op_sequence(const ir::Module& module);

}  // namespace foreflow::transform
