// Disjoint sets of numbers that are joined step by step (Tarjan, 1975, with path halving).
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "foreflow/base/nth.h"

namespace foreflow {

class DisjointSets {
 public:
  // Each of 0..count-1 alone in its set.
  explicit DisjointSets(size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }

  // The number that stands for the set of x: equal for the numbers of one set, until the next join().
  int32_t find(int32_t x) {
    while (nth(parent_, x) != x) {
      int32_t& parent = nth(parent_, x);
      parent          = nth(parent_, parent);
      x               = parent;
    }
    return x;
  }
  void join(int32_t a, int32_t b) { nth(parent_, find(a)) = find(b); }

 private:
  std::vector<int32_t> parent_;
};

}  // namespace foreflow
