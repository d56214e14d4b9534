// The suffixes of a sequence in alphabetical order, which brings equal stretches side by side.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace foreflow::transform {

struct Suffixes {
  std::vector<int32_t> order;   // where each suffix begins, in alphabetical order
  std::vector<int32_t> common;  // per place in `order`: how many tokens it shares with the one before; 0 for the first
};

// `tokens` are numbers 0 .. tokens.size() - 1. Prefix doubling (Manber and Myers, 1993) with counting sorts, then the
// common prefixes in one sweep (Kasai et al., 2001): O(n log n).
Suffixes sort_suffixes(std::span<const int32_t> tokens);

// Suffixes order[first] .. order[last] share `length` tokens and no others share as many.
struct SharedPrefix {
  int32_t length, first, last;
};

// Every such stretch of at least `shortest` tokens (the inner nodes of the suffix tree).
std::vector<SharedPrefix> shared_prefixes(const Suffixes& suffixes, int32_t shortest);

}  // namespace foreflow::transform
