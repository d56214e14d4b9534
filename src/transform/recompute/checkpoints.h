// Which blocks of a chain to do again in the backward pass, and together with which neighbours: the least extra work
// under a limit of memory. Pure arithmetic on the chain's numbers.
#pragma once

#include <cstddef>
#include <vector>

#include "foreflow/base/units.h"

namespace foreflow::transform {

// One way to treat the blocks first .. first + length - 1 of a chain.
struct Choice {
  size_t first, length;
  int way;         // what it means is the caller's business
  Bytes kept;      // from the forward until the backward pass, of one microbatch
  Bytes repeated;  // alive only while this part runs backward
  Flops extra;     // done again
};

// Choices that cover blocks 0 .. n-1, in order: indices into the list of choices.
struct CheckpointPlan {
  std::vector<size_t> picks;
  Bytes kept, repeated;  // the sum, and the largest
  Flops extra;

  Bytes memory(double in_flight) const { return in_flight * kept + repeated; }
};

// The plan of least extra work among those with in_flight x kept + repeated <= limit; of equals that with least memory,
// then of fewest picks. Where no plan is that small, the one with least memory. Exact: dynamic programming over the
// chain, which keeps every pair of kept bytes and extra work that no other pair betters, once for each bound on
// `repeated`. Every block has a choice of its own.
CheckpointPlan best_plan(size_t blocks, const std::vector<Choice>& choices, Bytes limit, double in_flight);

}  // namespace foreflow::transform
