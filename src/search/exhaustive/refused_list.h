// The first infeasible points of a search. They are kept as the branches that have them, since workers share the memory
// of the search, and a point of a result takes two kilobytes.
#pragma once

#include <string>
#include <vector>

#include "search/exhaustive/survey.h"

namespace foreflow::search {

class RefusedList {
 public:
  // Keeps a reference.
  explicit RefusedList(const Branches& branches) : branches_(branches) {}

  // Does nothing once there are kMostListed points.
  void add(const Refused& refused);
  // Adds the points to Result::infeasible, as far as there is room.
  void list(Result& result) const;

 private:
  struct Entry {
    size_t region, depth;
    std::string point;  // as compact JSON
    Refusal refusal;
  };

  const Branches& branches_;
  std::vector<Entry> entries_;
  size_t points_ = 0;  // of the entries
};

}  // namespace foreflow::search
