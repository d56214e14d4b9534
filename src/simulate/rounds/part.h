// The parts of a loop (components.h) in a run that leaves out periods of their steady states.
//
// Each part leaves out a time of its own. Those that leave out more begin later, so that all come to the end of the
// loop as if none had left out anything, only earlier, all by the same time:
//
//     all rounds   part 1:  1 2 3 4 5 6 7 8 9|sum        the run   part 1:    1 2 8 9|sum
//                  part 2:  1--2--3--4--5--6-|sum                  part 2:  1--2--6--|sum
#pragma once

#include <vector>

#include "simulate/rounds/steady_state.h"

namespace foreflow::simulate {

struct Part {
  std::vector<size_t> streams;
  SteadyState steady;  // in the run; loops == 0: the part runs all rounds
  int64_t each = 0;    // periods that one time more adds (left_out.h)

  Seconds one_time() const { return static_cast<double>(each) * steady.period; }
};

// By how much what is behind the loops is later in a run of one time more.
inline Seconds later_by(const std::vector<Part>& parts) {
  Seconds least = parts.front().one_time();
  for (const Part& part : parts) least = std::min(least, part.one_time());
  return least;
}

}  // namespace foreflow::simulate
