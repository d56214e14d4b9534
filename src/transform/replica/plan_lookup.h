// Looks entries of a plan of exchanges up.
#pragma once

#include <algorithm>

#include "transform/replica/exchange_plan.h"

namespace foreflow::transform {

// The index of the first entry at op `o` or after it, in a list that is ascending by `at`.
template <class T>
size_t first_at(const std::vector<T>& list, size_t o) {
  const auto found =
      std::lower_bound(list.begin(), list.end(), o, [](const T& entry, size_t place) { return entry.at.op < place; });
  return static_cast<size_t>(found - list.begin());
}

inline bool is_repeated(const Window& window, size_t weight) {
  return std::binary_search(window.repeated.begin(), window.repeated.end(), weight);
}

}  // namespace foreflow::transform
