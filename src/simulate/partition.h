// Which numbers of a range cannot be told apart by what has been said of them so far.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace foreflow::simulate {

class Partition {
 public:
  explicit Partition(size_t size) : class_(size, 0), groups_(1) {}

  int32_t class_of(size_t number) const { return class_[number]; }
  // Class numbers are below; not all of them need to be in use.
  size_t classes() const { return groups_.size(); }

  // Begins a statement about some of the numbers: those that it names with the same key stay together if they were,
  // and part from those that it does not name.
  void begin() { ++statement_; }
  void say(size_t number, double key) { class_[number] = target(class_[number], key); }

 private:
  struct Group {
    int32_t statement = 0;   // the last one that named some of it
    int32_t targets   = -1;  // where its numbers went then: the first of a chain
    double key        = 0;   // of the statement that made this group
    int32_t next      = -1;  // in the chain
  };

  int32_t target(int32_t from, double key) {
    Group& group = groups_[static_cast<size_t>(from)];
    if (group.statement != statement_) group.statement = statement_, group.targets = -1;
    for (int32_t other = group.targets; other >= 0; other = groups_[static_cast<size_t>(other)].next) {
      if (groups_[static_cast<size_t>(other)].key == key) return other;
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
