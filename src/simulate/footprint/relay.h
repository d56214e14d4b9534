// Rings that move hop by hop: which pieces may be under way. In each of its steps every rank passes a chunk on to the
// next rank; it enters a step when it has sent and received all of the step before. A chunk is cut into slices, of
// which a hop may have some under way at once, and may be some ahead of what its receiver has passed on. Where nothing
// else is on the links of the rings, slices of a hop move one after the other, which takes them as long. Several rings
// (channels) of one shape know nothing of each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace foreflow::simulate {

struct RelayShape {
  static constexpr int32_t kUnlimited = std::numeric_limits<int32_t>::max();

  int32_t steps;
  int32_t slices;     // of a chunk
  int32_t under_way;  // at most, on a hop with others on its links
  int32_t ahead;      // of the receiver, at most

  int32_t pieces() const { return steps * slices; }
};

class Relay {
 public:
  // `rings`: how many hops each has; hops are numbered ring by ring. `alone`: nothing else is on their links.
  Relay(const std::vector<int32_t>& rings, const RelayShape& shape, bool alone)
      : shape_(shape), under_way_(alone ? 1 : shape.under_way) {
    for (const int32_t ring : rings) {
      const auto first = static_cast<int32_t>(hops_.size());
      for (int32_t i = 0; i < ring; ++i)
        hops_.push_back({0, 0, first + (i == 0 ? ring : i) - 1, i + 1 == ring ? first : first + i + 1});
    }
    left_ = hops_.size();
  }

  // Calls start(hop, first) for each piece that may start now, and counts it as under way. `first`: it is among the
  // first slices of its chunk.
  template <class Start>
  void start_all(const Start& start) {
    for (size_t hop = 0; hop < hops_.size(); ++hop) start_on(hop, start);
  }

  // A piece has arrived; starts what may start now. True: all pieces have.
  template <class Start>
  bool arrive(size_t hop, const Start& start) {
    if (++hops_[hop].arrived == shape_.pieces()) --left_;
    start_on(before(hop), start);  // its credit
    start_on(hop, start);
    if (after(hop) != hop) start_on(after(hop), start);  // its data
    return left_ == 0;
  }

  // It is not alone any more; start_all() starts what may start now.
  void meet_others() { under_way_ = shape_.under_way; }

  // For each hop, whether all pieces have arrived.
  bool done(size_t hop) const { return hops_[hop].arrived == shape_.pieces(); }

  // Pieces of a hop that have started and that have arrived.
  int32_t started(size_t hop) const { return hops_[hop].started; }
  int32_t arrived(size_t hop) const { return hops_[hop].arrived; }

  // Goes on as if every hop had started and received the pieces of so many steps more; none may come to its last piece.
  void skip(int32_t steps) {
    for (Hop& hop : hops_) hop.started += steps * shape_.slices, hop.arrived += steps * shape_.slices;
  }

 private:
  struct Hop {
    int32_t started, arrived;  // pieces
    int32_t before, after;     // its neighbours in the ring
  };

  size_t before(size_t hop) const { return static_cast<size_t>(hops_[hop].before); }
  size_t after(size_t hop) const { return static_cast<size_t>(hops_[hop].after); }

  bool may_start(size_t hop) const {
    const Hop& own      = hops_[hop];
    const int32_t piece = own.started, step = piece / shape_.slices * shape_.slices;
    if (piece == shape_.pieces() || piece - own.arrived >= under_way_) return false;
    if (own.arrived < step || hops_[before(hop)].arrived < step) return false;
    const int32_t passed_on = hops_[after(hop)].arrived;
    return shape_.ahead == RelayShape::kUnlimited || piece - passed_on < shape_.ahead;
  }

  template <class Start>
  void start_on(size_t hop, const Start& start) {
    while (may_start(hop)) {
      const bool first = hops_[hop].started % shape_.slices < under_way_;
      ++hops_[hop].started;
      start(hop, first);
    }
  }

  RelayShape shape_;
  int32_t under_way_;
  std::vector<Hop> hops_;
  size_t left_;  // hops on which pieces are missing
};

}  // namespace foreflow::simulate
