// How many periods of its steady state each part of a loop leaves out.
//
// All figures of a run are linear in the number of periods that are left out if each part leaves out its own number,
// `each`, so many times, `times`. Parts have periods of different numbers of rounds, and reach their steady states
// after different numbers of them. So some run a few more rounds than they need:
//
//     60 rounds left, a period of 1 round:   6 periods each time, 10 times
//     59 rounds left, a period of 2 rounds:  2 periods each time, 10 times, and 19 rounds more are run
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace foreflow::simulate {

struct LeftOut {
  int64_t times = 0;          // 0: no part leaves anything out
  std::vector<int64_t> more;  // by part: stretches of the loop that are run all the same
  std::vector<int64_t> each;  // by part: periods that are left out each time
};

// What a part may leave out.
struct Remaining {
  int64_t left;   // stretches of the loop; 0: nothing
  int64_t loops;  // in a period
  size_t items;   // in a stretch of the loop, of all its streams: the cost of running one more
};

// Of all ways to leave something out the one that costs least: two runs are made, and the second one has one time more.
LeftOut left_out(const std::vector<Remaining>& parts);

}  // namespace foreflow::simulate
