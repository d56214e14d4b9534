// A hash table that numbers distinct sequences of words 0, 1, 2, ... in the order of their first occurrence.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace foreflow {

class SequenceTable {
 public:
  // The number of `words`; it is `size()` before the call when the sequence is new.
  uint32_t number(std::span<const uint64_t> words) {
    const uint64_t hash = hash_of(words);
    if (2 * (sequences_.size() + 1) > slots_.size()) grow();
    uint32_t& slot = slot_of(words, hash);
    if (slot != kEmpty) return slot;
    slot = static_cast<uint32_t>(sequences_.size());
    sequences_.push_back({hash, words_.size(), words.size()});
    words_.insert(words_.end(), words.begin(), words.end());
    return slot;
  }

  size_t size() const { return sequences_.size(); }

 private:
  static constexpr uint32_t kEmpty = ~uint32_t{0};
  struct Sequence {
    uint64_t hash;
    size_t first, count;  // into words_
  };

  // Words are pointers and small numbers, whose low bits repeat: every bit of a word must reach the slot.
  static uint64_t hash_of(std::span<const uint64_t> words) {
    uint64_t hash = words.size();
    for (const uint64_t word : words) {
      hash = (hash ^ word) * 0x9E3779B97F4A7C15U;  // 2^64 / golden ratio (Knuth, TAOCP 3, 6.4)
      hash ^= hash >> 29;
    }
    return hash;
  }

  uint32_t& slot_of(std::span<const uint64_t> words, uint64_t hash) {
    size_t i = hash & (slots_.size() - 1);
    while (slots_[i] != kEmpty && !same(sequences_[slots_[i]], words, hash)) i = (i + 1) & (slots_.size() - 1);
    return slots_[i];
  }

  bool same(const Sequence& sequence, std::span<const uint64_t> words, uint64_t hash) const {
    return sequence.hash == hash && sequence.count == words.size() &&
           std::equal(words.begin(), words.end(), words_.begin() + static_cast<ptrdiff_t>(sequence.first));
  }

  void grow() {
    slots_.assign(std::max<size_t>(64, 2 * slots_.size()), kEmpty);
    for (uint32_t s = 0; s < sequences_.size(); ++s) {
      const Sequence& sequence                                                 = sequences_[s];
      slot_of({words_.data() + sequence.first, sequence.count}, sequence.hash) = s;
    }
  }

  std::vector<uint32_t> slots_;  // a power of two, at most half of them used
  std::vector<Sequence> sequences_;
  std::vector<uint64_t> words_;
};

}  // namespace foreflow
