// From time to time a long search goes down one promising branch after the other until a point is predicted that works,
// so that it has something to show when it is interrupted.
#pragma once

#include <optional>
#include <vector>

#include "search/exhaustive/open_branches.h"
#include "search/exhaustive/outcome.h"

namespace foreflow::search {

class Dives {
 public:
  // Both must outlive it. A search that is not long has no dives.
  Dives(OpenBranches& waiting, const Outcome& outcome, bool is_long);

  // Takes the branches of the next step of a dive, all at the same step; nothing when none is due. `taken` is the
  // number of branches and points that the search has taken so far. Requires: the step before it was answered.
  std::vector<Entry> next_step(size_t taken);

 private:
  struct Dive {
    size_t found, predicted;  // the points that worked, and those that were predicted, when it began
    std::optional<size_t> branch = {};
    size_t tries                 = 0;  // the number of branches so far
  };

  OpenBranches& waiting_;
  const Outcome& outcome_;
  std::optional<Dive> dive_;  // the one that is under way
  size_t next_;               // it is due when so many are taken
};

}  // namespace foreflow::search
