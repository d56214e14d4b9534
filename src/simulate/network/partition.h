// Partition refinement: splits the classes of 0..n-1 by successive keys.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "foreflow/base/nth.h"

namespace foreflow::simulate {

class Partition {
 public:
  explicit Partition(size_t size) : class_(size, 0), groups_(1) {}

  int32_t class_of(size_t number) const { return class_[number]; }
  // Upper bound of class numbers, exclusive; some below it may be unused.
  size_t classes() const { return groups_.size(); }

  // Begins a refinement step. Numbers of one class that say() names with equal keys stay together; they part from those
  // with other keys and from those that the step does not name. Example: of {0, 1, 2, 3}, begin(); say(1, 7); say(3, 7)
  // leaves {0, 2} and {1, 3}.
  void begin() { ++statement_; }
  void say(size_t number, double key) { class_[number] = target(class_[number], key); }

 private:
  struct Group {
    int32_t statement = 0;   // the last step that named one of its numbers
    int32_t targets   = -1;  // first group of a chain: where that step moved its numbers
    double key        = 0;   // by which the step that made this group split it off
    int32_t next      = -1;  // in the chain
  };

  int32_t target(int32_t from, double key) {
    Group& group = nth(groups_, from);
    if (group.statement != statement_) group.statement = statement_, group.targets = -1;
    for (int32_t other = group.targets; other >= 0; other = nth(groups_, other).next) {
      if (nth(groups_, other).key == key) return other;
    }
    const auto made    = static_cast<int32_t>(groups_.size());
    const int32_t next = std::exchange(group.targets, made);
    groups_.push_back({statement_, -1, key, next});
    return made;
  }

  std::vector<int32_t> class_;
  std::vector<Group> groups_;
  int32_t statement_ = 0;
};

}  // namespace foreflow::simulate
