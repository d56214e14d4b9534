#include "transform/blocks/suffixes.h"

#include <algorithm>
#include <numeric>

#include "foreflow/base/nth.h"

namespace foreflow::transform {
namespace {

// Sorts by rank, keeping the order in `places` among equals.
void counting_sort(const std::vector<int32_t>& places, const std::vector<int32_t>& rank, std::vector<int32_t>& count,
                   std::vector<int32_t>& order) {
  std::fill(count.begin(), count.end(), 0);
  for (const int32_t r : rank) ++nth(count, r);
  std::partial_sum(count.begin(), count.end(), count.begin());
  for (size_t i = places.size(); i-- > 0;) nth(order, --nth(count, nth(rank, places[i]))) = places[i];
}

std::vector<int32_t> suffix_order(std::span<const int32_t> tokens) {
  const auto n = static_cast<int32_t>(tokens.size());
  std::vector<int32_t> order(tokens.size()), places(tokens.size()), next(tokens.size()), count(tokens.size());
  std::vector<int32_t> rank(tokens.begin(), tokens.end());
  std::iota(places.begin(), places.end(), 0);
  counting_sort(places, rank, count, order);
  const auto rank_at = [&](int32_t i) { return i < n ? nth(rank, i) : -1; };
  for (int32_t known = 1, classes = 0; classes < n; known *= 2) {
    // Sorted by the second half: suffixes without one come first, the others as they are sorted now.
    size_t filled = 0;
    for (int32_t i = std::max(0, n - known); i < n; ++i) places[filled++] = i;
    for (const int32_t i : order) {
      if (i >= known) places[filled++] = i - known;
    }
    counting_sort(places, rank, count, order);
    classes = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      const int32_t here = order[i], before = i > 0 ? order[i - 1] : here;
      const bool differs =
          i == 0 || rank_at(here) != rank_at(before) || rank_at(here + known) != rank_at(before + known);
      classes += differs ? 1 : 0;
      nth(next, here) = classes - 1;
    }
    rank.swap(next);
  }
  return order;
}

}  // namespace

Suffixes sort_suffixes(std::span<const int32_t> tokens) {
  Suffixes suffixes{suffix_order(tokens), std::vector<int32_t>(tokens.size())};
  std::vector<size_t> place(tokens.size());
  for (size_t i = 0; i < tokens.size(); ++i) nth(place, suffixes.order[i]) = i;
  size_t common = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (place[i] == 0) {
      common = 0;
      continue;
    }
    const auto other = static_cast<size_t>(suffixes.order[place[i] - 1]);
    while (std::max(i, other) + common < tokens.size() && tokens[i + common] == tokens[other + common]) ++common;
    suffixes.common[place[i]] = static_cast<int32_t>(common);
    common -= common > 0 ? 1 : 0;
  }
  return suffixes;
}

std::vector<SharedPrefix> shared_prefixes(const Suffixes& suffixes, int32_t shortest) {
  std::vector<SharedPrefix> found, open;
  const auto n = static_cast<int32_t>(suffixes.order.size());
  for (int32_t i = 1; i <= n; ++i) {
    const int32_t common = i < n ? nth(suffixes.common, i) : 0;
    int32_t first        = i - 1;
    while (!open.empty() && open.back().length > common) {
      open.back().last = i - 1;
      first            = open.back().first;
      found.push_back(open.back());
      open.pop_back();
    }
    if (common >= shortest && (open.empty() || open.back().length < common)) open.push_back({common, first, first});
  }
  return found;
}

}  // namespace foreflow::transform
