// The branches that a search has not decided yet, the most promising first. Those that the best points so far rule out
// are forgotten.
#pragma once

#include <array>
#include <vector>

#include "search/exhaustive/standing.h"
#include "search/exhaustive/survey.h"

namespace foreflow::search {

// The next step of the search with a branch.
enum class NextStep : uint8_t { expand, refine, attempt, predict };
constexpr size_t kSteps = 4;

// A branch at what it is bounded to be, in the order of the search.
struct Entry {
  Prospect prospect;
  NextStep next;
  size_t points;  // of the branch

  // The most promising first.
  bool operator<(const Entry& other) const { return prospect < other.prospect; }
};

class OpenBranches {
 public:
  explicit OpenBranches(const Standing& standing) : standing_(standing) {}

  void clear();
  void push(Entry entry);
  bool empty() const { return entries_.empty(); }
  // The first by Entry::operator<. Requires: there is a branch.
  const Entry& front() const { return entries_.front(); }
  // The most promising branch. If some branches have refined bounds, the best of these: where only rough bounds are
  // known, the points with the best ones seldom fit in memory. Requires: there is a branch.
  const Entry& most_promising() const;
  // The number of points in all of them.
  size_t points() const { return points_; }
  // The number of points that were ruled out: those of branches that were forgotten, and those of branches here that
  // would be.
  size_t ruled_out() const;

  // Takes the first ones that are not ruled out, best first, as many as one round has room for. `at_once` is the number
  // of branches, by their next steps, that fill a round alone; one of them takes the inverse.
  std::vector<Entry> take(const std::array<size_t, kSteps>& at_once);
  // Takes what is left of branch `number` of the survey: the most promising point to predict, or all that are at the
  // same step. Nothing where the most promising of them is ruled out.
  std::vector<Entry> take_within(size_t number);

 private:
  bool is_out(const Entry& entry) const { return standing_.rules_out(entry.prospect.most, entry.prospect.score); }
  void forget();

  const Standing& standing_;
  std::vector<Entry> entries_;  // a heap, the most promising at the front
  size_t points_    = 0;
  size_t forgotten_ = 0;  // the number of points that were ruled out
  size_t full_      = 0;  // with this number of entries, those that are ruled out are forgotten
};

}  // namespace foreflow::search
