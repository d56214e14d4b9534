// Event queue: an indexed 4-ary heap with at most one date for each number of a small range. A date may be changed at
// any time, which costs O(log n).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "foreflow/base/nth.h"

namespace foreflow::simulate {

class EventQueue {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  double next() const {
    if (heap_.empty()) return kNever;
    return heap_.front().date;
  }
  // The number that is due next; of several, the smallest.
  int32_t first() const { return heap_.front().number; }
  // Infinite: it has none.
  double date_of(int32_t number) const {
    if (static_cast<size_t>(number) >= place_.size() || nth(place_, number) < 0) return kNever;
    return nth(heap_, nth(place_, number)).date;
  }
  void set(int32_t number, double date) {
    if (static_cast<size_t>(number) >= place_.size()) place_.resize(static_cast<size_t>(number) + 1, -1);
    int32_t& place = nth(place_, number);
    if (place < 0) {
      place = static_cast<int32_t>(heap_.size());
      heap_.push_back({date, number});
    } else {
      nth(heap_, place).date = date;
    }
    settle(static_cast<size_t>(place));
  }
  void erase(int32_t number) {
    if (static_cast<size_t>(number) >= place_.size() || nth(place_, number) < 0) return;
    const auto hole     = static_cast<size_t>(nth(place_, number));
    nth(place_, number) = -1;
    const Entry last    = heap_.back();
    heap_.pop_back();
    if (hole == heap_.size()) return;
    put(hole, last);
    settle(hole);
  }
  // Moves all dates.
  void delay(double seconds) {
    for (Entry& entry : heap_) entry.date += seconds;
  }

 private:
  struct Entry {
    double date;
    int32_t number;
    bool operator<(const Entry& other) const {
      return date < other.date || (date == other.date && number < other.number);
    }
  };
  static constexpr size_t kChildren = 4;

  void put(size_t place, const Entry& entry) {
    heap_[place]              = entry;
    nth(place_, entry.number) = static_cast<int32_t>(place);
  }

  // Moves the entry up or down to where it belongs.
  void settle(size_t place) {
    const Entry moved = heap_[place];
    while (place > 0 && moved < heap_[(place - 1) / kChildren]) {
      put(place, heap_[(place - 1) / kChildren]);
      place = (place - 1) / kChildren;
    }
    for (;;) {
      size_t least = place * kChildren + 1;
      if (least >= heap_.size()) break;
      for (size_t child = least + 1; child < heap_.size() && child <= place * kChildren + kChildren; ++child) {
        if (heap_[child] < heap_[least]) least = child;
      }
      if (!(heap_[least] < moved)) break;
      put(place, heap_[least]);
      place = least;
    }
    put(place, moved);
  }

  std::vector<Entry> heap_;     // a parent comes before its four children
  std::vector<int32_t> place_;  // of each number: its index in the heap; -1: no date
};

}  // namespace foreflow::simulate
