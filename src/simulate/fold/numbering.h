// Classes of equal colours.
#pragma once

#include <vector>

#include "foreflow/base/nth.h"
#include "simulate/fold/colour_table.h"

namespace foreflow::simulate {

// Numbers colours by first appearance.
class Numbering {
 public:
  explicit Numbering(const std::vector<Colour>& colours) {
    numbers_.reserve(colours.size());
    ColourTable table;
    for (size_t i = 0; i < colours.size(); ++i) {
      numbers_.push_back(table.number_of(colours[i]));
      if (table.size() > first_.size()) first_.push_back(static_cast<int32_t>(i));
    }
  }

  int32_t of(size_t item) const { return numbers_[item]; }
  const std::vector<int32_t>& all() const { return numbers_; }
  // The first item of each number.
  const std::vector<int32_t>& first() const { return first_; }
  bool is_first(size_t item) const { return nth(first_, numbers_[item]) == static_cast<int32_t>(item); }

 private:
  std::vector<int32_t> numbers_, first_;
};

}  // namespace foreflow::simulate
