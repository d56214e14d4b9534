#include "search/exhaustive/dives.h"

#include <algorithm>
#include <limits>

namespace foreflow::search {
namespace {

// A dive gives up after this number of branches of a survey in which no point may work.
constexpr size_t kTries = 8;
// A dive that finds no point ends after this number of predictions.
constexpr size_t kTriedPoints = 4;
// After a dive that found a point, the next one is due when twice as many branches and points are taken, and at least
// kFoundOne; after another one, when kFoundNone more are.
constexpr size_t kFoundOne = 4096, kFoundNone = 1024;

}  // namespace

Dives::Dives(OpenBranches& waiting, const Outcome& outcome, bool is_long)
    : waiting_(waiting), outcome_(outcome), next_(outcome.standing().best() ? kFoundOne : 0) {
  if (!is_long) next_ = std::numeric_limits<size_t>::max();
}

std::vector<Entry> Dives::next_step(size_t taken) {
  if (!dive_ && taken < next_) return {};
  if (!dive_) dive_ = Dive{outcome_.ranked(), outcome_.evaluated()};
  if (outcome_.ranked() > dive_->found) {
    next_ = 2 * std::max(taken, kFoundOne);
    dive_.reset();
    return {};
  }
  std::vector<Entry> step;
  if (outcome_.evaluated() - dive_->predicted < kTriedPoints && dive_->branch)
    step = waiting_.take_within(*dive_->branch);
  while (step.empty() && dive_->tries < kTries && !waiting_.empty() &&
         outcome_.evaluated() - dive_->predicted < kTriedPoints) {
    dive_->branch = waiting_.most_promising().prospect.number;
    ++dive_->tries;
    step = waiting_.take_within(*dive_->branch);
  }
  if (step.empty()) {
    next_ = taken + kFoundNone;
    dive_.reset();
  }
  return step;
}

}  // namespace foreflow::search
