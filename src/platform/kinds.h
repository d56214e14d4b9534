// Numbers the kinds of devices and links: those of one kind differ in nothing but name and position.
#pragma once

#include <map>
#include <vector>

#include "foreflow/platform/platform.h"

namespace foreflow::platform {

// Clears what items of one kind may differ in, so that the comparison of all members says whether they are of one kind.
inline void clear_position(Device& device) {
  device.name.clear();
  device.node.clear();
  device.rail = 0;
}

inline void clear_position(Link& link) { link.name.clear(); }

// Kinds are numbered from 0 by first appearance.
template <class T>
class KindNumbers {
 public:
  int of(const T& item) {
    // An assignment keeps the memory of the strings that it replaces: a platform has far more items than kinds.
    without_position_ = item;
    clear_position(without_position_);
    const auto [known, is_new] = numbers_.try_emplace(without_position_, static_cast<int>(examples_.size()));
    if (is_new) examples_.push_back(item);
    return known->second;
  }
  // The first item of each kind.
  const std::vector<T>& examples() const { return examples_; }

 private:
  T without_position_;
  std::map<T, int> numbers_;
  std::vector<T> examples_;
};

}  // namespace foreflow::platform
