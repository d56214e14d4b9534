// The best points found so far, and which others they rule out.
#pragma once

#include <utility>
#include <vector>

#include "foreflow/search/search.h"
#include "search/evaluate.h"

namespace foreflow::search {

class Standing {
 public:
  Standing(size_t top, Pruning pruning) : top_(top), pruning_(pruning) {}

  void add(const Prediction& prediction);

  // Whether a point that is at most this fast, in samples per second, and that needs at least this memory, cannot be
  // part of the result (Pruning).
  bool rules_out(double fastest, Bytes least_memory) const;
  // Whether this is so for every point that is at most this fast.
  bool rules_out(double fastest) const {
    return pruning_ == Pruning::top && best_.size() >= top_ && fastest < best_.back();
  }

  double best() const { return best_.empty() ? 0 : best_.front(); }  // samples per second; 0: none

 private:
  const size_t top_;
  const Pruning pruning_;
  std::vector<double> best_;                    // the best `top` throughputs, best first
  std::vector<std::pair<double, Bytes>> seen_;  // throughput and memory
};

}  // namespace foreflow::search
