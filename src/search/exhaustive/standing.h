// The best points found so far, and which others they rule out.
#pragma once

#include <optional>
#include <vector>

#include "foreflow/search/search.h"
#include "search/score.h"

namespace foreflow::search {

class Standing {
 public:
  Standing(const Goal& goal, size_t top, Pruning pruning) : goal_(goal), top_(top), pruning_(pruning) {}

  // A point that works.
  void add(const Figures& figures);

  // Returns true if a point that is no better than this in any figure cannot be part of the result (Pruning). `score`
  // is that of the figures.
  bool rules_out(const Figures& figures, const Score& score) const;
  // Returns true if this is so for every point of this score or a higher one.
  bool rules_out(const Score& score) const { return pruning_ == Pruning::top && is_behind(score); }

  // The lowest penalty by the objective; nothing where there is no point yet.
  std::optional<double> best() const { return best_.empty() ? std::nullopt : std::optional(best_.front()[0]); }

 private:
  bool is_behind(const Score& score) const { return best_.size() >= top_ && best_.back() < score; }

  const Goal& goal_;
  const size_t top_;
  const Pruning pruning_;
  std::vector<Score> best_;        // the best `top`, best first
  std::vector<FrontScore> front_;  // of the points that no other dominates
};

}  // namespace foreflow::search
