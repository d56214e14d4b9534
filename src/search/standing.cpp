#include "search/standing.h"

#include <algorithm>

namespace foreflow::search {

void Standing::add(const Prediction& prediction) {
  if (prediction.refusal) return;
  best_.insert(std::upper_bound(best_.begin(), best_.end(), prediction.samples_per_second, std::greater<>()),
               prediction.samples_per_second);
  if (best_.size() > top_) best_.resize(top_);
  if (pruning_ == Pruning::front) seen_.emplace_back(prediction.samples_per_second, prediction.memory);
}

bool Standing::rules_out(double fastest, Bytes least_memory) const {
  if (pruning_ == Pruning::none || best_.size() < top_ || fastest >= best_.back()) return false;
  if (pruning_ == Pruning::top) return true;
  return std::any_of(seen_.begin(), seen_.end(),
                     [&](const auto& other) { return other.first >= fastest && other.second <= least_memory; });
}

}  // namespace foreflow::search
