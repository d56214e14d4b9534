// Fisher and Yates' shuffle (Durstenfeld, 1964) on numbers of the Mersenne Twister, whose sequence is standardised; the
// standard library's own shuffle differs from one library to the next.
#include <algorithm>
#include <limits>
#include <random>

#include "foreflow/platform/placement.h"

namespace foreflow::platform::definitions::random {
namespace {

// Uniform over 0 .. n-1: numbers of the incomplete last round are drawn again.
uint64_t below(uint64_t n, std::mt19937_64& rng) {
  const uint64_t whole = std::numeric_limits<uint64_t>::max() / n * n;
  uint64_t number      = rng();
  while (number >= whole) number = rng();
  return number % n;
}

std::vector<int> order(const Platform&, std::vector<int> candidates, uint64_t seed) {
  std::sort(candidates.begin(), candidates.end());
  std::mt19937_64 rng(seed);
  for (size_t left = candidates.size(); left > 1; --left) std::swap(candidates[left - 1], candidates[below(left, rng)]);
  return candidates;
}

}  // namespace

PlacementDef row() {
  return {
      .name = "random", .doc = "a shuffle of all devices, repeatable by its seed", .order = order, .uses_seed = true};
}

}  // namespace foreflow::platform::definitions::random
