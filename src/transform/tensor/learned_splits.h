// Facts about the splits of a program's weights that one round over the program learns for the next. Weights are given
// by their numbers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// An op that needs all of a value, of which a split of some weight would give it a part.
struct Obstacle {
  size_t op         = 0;  // of the function
  ir::ValueId value = ir::ValueId::none;
};

class LearnedSplits {
 public:
  void begin_round() { stale_ = false; }
  // Returns true if this round found blocks or splits of stored weights: what was decided before is no reason to give
  // up a split.
  bool is_stale() const { return stale_; }
  // Grows with all that is learned.
  size_t size() const { return whole_.size() + dims_.size() + blocks_.size(); }

  void keep_whole(int32_t weight, const Obstacle& why) { whole_.emplace(weight, why); }
  bool is_whole(int32_t weight) const { return whole_.contains(weight); }
  // The weights that stay whole, with the ops for which they do.
  const std::map<int32_t, Obstacle>& kept_whole() const { return whole_; }
  // These ops, in the order of the program.
  std::map<size_t, Obstacle> obstacles() const {
    std::map<size_t, Obstacle> by_op;
    for (const auto& [weight, why] : whole_) by_op.emplace(why.op, why);
    return by_op;
  }

  // The weight consists of equal blocks, each of which is split.
  void split_in_blocks(int32_t weight, int64_t blocks) {
    blocks_[weight] = blocks;
    stale_          = true;
  }
  bool has_blocks(int32_t weight) const { return blocks_.contains(weight); }
  int64_t blocks_of(int32_t weight) const {
    const auto blocks = blocks_.find(weight);
    return blocks == blocks_.end() ? 1 : blocks->second;
  }

  // The weight is split along a dimension, because a copy of it is.
  void split_along(int32_t weight, int32_t dim) {
    dims_[weight] = dim;
    stale_        = true;
  }
  // Nothing where the weight stays whole after all.
  std::optional<int32_t> dim_of(int32_t weight) const {
    const auto dim = dims_.find(weight);
    return dim == dims_.end() || is_whole(weight) ? std::nullopt : std::optional(dim->second);
  }

 private:
  std::map<int32_t, Obstacle> whole_;
  std::map<int32_t, int32_t> dims_;
  std::map<int32_t, int64_t> blocks_;
  bool stale_ = false;
};

}  // namespace foreflow::transform
