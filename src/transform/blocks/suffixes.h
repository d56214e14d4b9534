// Suffix array: the suffixes of a sequence in lexicographic order, so that repeated substrings become neighbours.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace foreflow::transform {

struct Suffixes {
  std::vector<int32_t> order;   // where each suffix begins, in lexicographic order
  std::vector<int32_t> common;  // LCP array: length of the common prefix of order[i] and order[i - 1]; 0 for the first
};

// Tokens must lie in 0 .. tokens.size() - 1. Prefix doubling (Manber and Myers, 1993) with counting sorts, then the
// common prefixes in one sweep (Kasai et al., 2001): O(n log n).
Suffixes sort_suffixes(std::span<const int32_t> tokens);

// A maximal range of suffixes order[first] .. order[last] that have a common prefix of `length` tokens.
struct SharedPrefix {
  int32_t length, first, last;
};

// All such ranges with a prefix of at least `shortest` tokens (the inner nodes of the suffix tree).
std::vector<SharedPrefix> shared_prefixes(const Suffixes& suffixes, int32_t shortest);

}  // namespace foreflow::transform
