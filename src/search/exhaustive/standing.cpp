#include "search/exhaustive/standing.h"

#include <algorithm>

namespace foreflow::search {
namespace {

// As good by both objectives, and better by one.
bool dominates(const FrontScore& one, const FrontScore& other) {
  return one[0] <= other[0] && one[1] <= other[1] && one != other;
}

}  // namespace

void Standing::add(const Figures& figures) {
  const Score score = score_of(goal_, figures);
  best_.insert(std::upper_bound(best_.begin(), best_.end(), score), score);
  if (best_.size() > top_) best_.resize(top_);
  if (pruning_ != Pruning::front) return;
  const FrontScore own = front_score_of(goal_, figures);
  std::erase_if(front_, [&](const FrontScore& other) { return dominates(own, other); });
  front_.push_back(own);
}

bool Standing::rules_out(const Figures& figures, const Score& score) const {
  if (pruning_ == Pruning::none || !is_behind(score)) return false;
  if (pruning_ == Pruning::top) return true;
  const FrontScore own = front_score_of(goal_, figures);
  return std::any_of(front_.begin(), front_.end(), [&](const FrontScore& other) { return dominates(other, own); });
}

}  // namespace foreflow::search
