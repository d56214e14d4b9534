// The steady state of a part of a loop (components.h): a stretch of time in which each of its streams repeats the
// stretch before it, one period later. The states of the simulation at the beginning and at the end of the stretch are
// then equal, up to a shift in time: every stream is at an item that is followed by equal items, and the same
// communications are in progress. A part with n more such stretches therefore takes exactly n periods longer. One that
// does not repeat itself has no steady state.
//
//     stream 1:  F0 F1 F2 | F3 B0 | F4 B1 | F5 B2 | B3 B4 B5        1F1B: each stretch between bars repeats the one
//     stream 2:        F0 | B0 F1 | B1 F2 | B2 F3 | B3 F4 B4 F5 B5  before it
#pragma once

#include <optional>
#include <vector>

#include "simulate/rounds/rounds.h"

namespace foreflow::simulate {

struct SteadyState {
  int64_t loops = 0;    // how many stretches of the loop there are in a period
  Seconds period;       // how long these take
  Seconds until;        // the end of the stretch of time
  Stretches stretches;  // the items that start in it, by stream of the part
};

// Looks for the steady states of parts in one run, without disturbances that begin or end.
class SteadyFinder {
 public:
  // Keeps references. `loop`: of the program that runs `more` stretches less.
  SteadyFinder(const FoldedProgram& folded, const stream::Timeline& timeline, const RoundStretches& loop, int64_t more);

  // `streams`: those of the part. Nothing if no stretch of at most a third of the longest stream repeats, or if the
  // memory in use differs between the beginning and the end of the stretches.
  std::optional<SteadyState> find(const std::vector<size_t>& streams) const;

 private:
  std::optional<SteadyState> find_around(size_t reference, size_t first, size_t count,
                                         const std::vector<size_t>& streams) const;
  // The number of stretches of the loop in those that were found, which is the same for all these streams; 0: it is
  // not.
  int64_t loops_in(const Stretches& found, const std::vector<size_t>& streams) const;
  bool close(double a, double b) const;
  bool same_item(size_t stream, size_t a, size_t b) const;
  double start(size_t stream, size_t item) const { return timeline_.records[stream][item].start.value(); }
  // True if the `count` items before `first`, and those from `first` on, are repeated one period later.
  bool repeats(size_t stream, size_t first, size_t count, double period) const;
  bool keeps_up(size_t stream, size_t first, size_t count, double period) const;
  // The first item that starts at this time or later.
  size_t first_from(size_t stream, double time) const;

  const FoldedProgram& folded_;
  const stream::Timeline& timeline_;
  const RoundStretches& loop_;
  const int64_t more_;
  const double tolerance_;  // seconds
};

}  // namespace foreflow::simulate
