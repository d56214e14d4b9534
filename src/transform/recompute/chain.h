// The blocks of a forward pass as a chain, with the cost of keeping or recomputing each block, or several together.
#pragma once

#include <vector>

#include "foreflow/interpret/mixed.h"
#include "transform/blocks/forward_pass.h"
#include "transform/recompute/checkpoints.h"

namespace foreflow::transform {

// Which values a recomputed segment keeps, and which of its ops must be repeated. A value that the forward pass reads
// outside the segment is kept, and so are the results of the ops in `saved`; all others are discarded. The ops to
// repeat lead from kept values to the discarded values that the backward pass reads.
class Forgetting {
 public:
  // `saved`: per op; empty: none is.
  Forgetting(const ir::Function& function, size_t forward, std::vector<bool> saved = {});

  bool is_needed(ir::ValueId id) const { return needed_[ir::index(id)]; }  // the backward pass reads it
  bool is_constant(ir::ValueId id) const { return constant_[ir::index(id)]; }
  int32_t maker(ir::ValueId id) const { return makers_[ir::index(id)]; }
  const std::vector<size_t>& readers(ir::ValueId id) const { return readers_[ir::index(id)]; }  // forward ops

  // The ops of the segment that the backward pass must repeat, ascending.
  std::vector<size_t> repeated(const Segment& segment) const;
  // Returns true if the value is computed in the segment, not saved and, within the forward pass, read only there.
  bool is_inner(ir::ValueId id, const Segment& segment) const;

 private:
  const ir::Function& function_;
  const std::vector<int32_t> makers_;
  const std::vector<bool> constant_;
  const std::vector<bool> saved_;             // per op
  std::vector<bool> needed_, returned_;       // per value
  std::vector<std::vector<size_t>> readers_;  // per value
};

class Chain {
 public:
  static constexpr size_t kLongest = 8;  // blocks in a segment

  // `blocks` of the entry function, in order.
  Chain(const ir::Module& module, std::vector<Segment> blocks);

  size_t size() const { return blocks_.size(); }
  // The choices for the blocks first .. last - 1: for each block, to keep everything, to repeat its attention cores, or
  // to repeat the block; and to repeat up to kLongest neighbours as one segment. Choice::first counts from `first`.
  std::vector<Choice> choices(size_t first, size_t last) const;
  // The segments that a choice of choices(first, ..) repeats.
  std::vector<Segment> segments(const Choice& choice, size_t first) const;

 private:
  enum Way : int { keep, cores, whole };

  bool follows(size_t block) const;  // whether only Constants lie between the previous block and this one
  Choice measured(size_t first, size_t length, Way way) const;
  size_t root(ir::ValueId id) const;
  Flops flops(size_t op) const;

  const ir::Module& module_;
  const ir::Function& function_;
  const interpret::MixedInterpretation interpretation_;
  const std::vector<Segment> blocks_;
  std::vector<std::vector<Segment>> cores_;  // per block
  const Forgetting forgetting_;
  std::vector<bool> in_block_;  // per op
};

}  // namespace foreflow::transform
