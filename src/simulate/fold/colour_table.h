// Colours, numbered by first appearance. There are many to number and few that differ, and they are hashes already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "simulate/hash.h"

namespace foreflow::simulate {

class ColourTable {
 public:
  // A new colour gets the number size().
  int32_t number_of(Colour colour) {
    Slot& slot = find(colour);
    if (slot.number >= 0) return slot.number;
    const auto number = static_cast<int32_t>(size_++);
    slot              = {colour, number};
    if (2 * size_ > slots_.size()) grow();
    return number;
  }
  size_t size() const { return size_; }

 private:
  struct Slot {
    Colour colour  = 0;
    int32_t number = -1;  // -1: free
  };

  Slot& find(Colour colour) {
    size_t place = colour & (slots_.size() - 1);
    while (slots_[place].number >= 0 && slots_[place].colour != colour) place = (place + 1) & (slots_.size() - 1);
    return slots_[place];
  }

  void grow() {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(4 * slots_.size()));
    for (const Slot& slot : old) {
      if (slot.number >= 0) find(slot.colour) = slot;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);  // a power of two, at least half of them free
  size_t size_             = 0;
};

}  // namespace foreflow::simulate
