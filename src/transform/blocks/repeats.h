// Stretches that a sequence of tokens repeats.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace foreflow::transform {

struct Repeat {
  size_t length;
  std::vector<size_t> starts;  // in order, not overlapping

  // How many tokens disappear when the stretch is kept once and each occurrence becomes `call` tokens.
  int64_t saving(int64_t call = 1) const {
    const auto count = static_cast<int64_t>(starts.size()), size = static_cast<int64_t>(length);
    return count * size - size - count * call;
  }
};

// Stretches of at least `shortest` tokens that occur at least `fewest` times and save something, in no particular
// order; where occurrences follow each other (layer after layer), the stretch is one period. Every stretch that could
// save most is among them, for each place in the period that it could begin at. Near-linear: O(n log n) and a few
// visits of each token for every token of `shortest`.
std::vector<Repeat> find_repeats(std::span<const int32_t> tokens, size_t shortest, size_t fewest);

}  // namespace foreflow::transform
