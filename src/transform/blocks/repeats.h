// Finds substrings that occur repeatedly in a sequence of tokens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace foreflow::transform {

struct Repeat {
  size_t length;
  std::vector<size_t> starts;  // in order, not overlapping

  // The number of tokens saved if the substring is stored once and each occurrence is replaced by `call` tokens.
  int64_t saving(int64_t call = 1) const {
    const auto count = static_cast<int64_t>(starts.size()), size = static_cast<int64_t>(length);
    return count * size - size - count * call;
  }
};

// Substrings of at least `shortest` tokens that occur at least `fewest` times and save tokens, in no particular order.
//
// 1. Where occurrences follow each other directly (layer after layer), the substring is one period.
// 2. The result contains every substring that could save the most, once for each position of the period at which it
//    could begin.
//
// Near-linear in practice: O(n log n) steps, and a few visits of each token for every token of `shortest`.
std::vector<Repeat> find_repeats(std::span<const int32_t> tokens, size_t shortest, size_t fewest);

}  // namespace foreflow::transform
