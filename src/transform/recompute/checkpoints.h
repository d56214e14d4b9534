// Chooses which blocks of a chain the backward pass recomputes, and which neighbours it recomputes together, so that
// the extra work is least under a memory limit. Works only on the numbers of the chain.
#pragma once

#include <cstddef>
#include <vector>

#include "foreflow/base/units.h"

namespace foreflow::transform {

// One way to treat the blocks first .. first + length - 1 of a chain.
struct Choice {
  size_t first, length;
  int way;         // identifies the treatment to the caller; not interpreted here
  Bytes kept;      // alive from the forward to the backward pass of a microbatch
  Bytes repeated;  // alive only during the backward pass of these blocks
  Flops extra;     // the recomputed work
};

// A sequence of choices that covers the blocks 0 .. n-1, in order.
struct CheckpointPlan {
  std::vector<size_t> picks;  // indices into the list of choices
  Bytes kept, repeated;       // the sum of `kept`, the greatest `repeated`
  Flops extra;

  Bytes memory(double in_flight) const { return in_flight * kept + repeated; }
};

// The best plan with in_flight x kept + repeated <= limit: the one with the least extra work, then the least memory,
// then the fewest picks. If no plan stays within the limit, the one with the least memory.
//
// Exact: for each bound on `repeated`, dynamic programming over the chain keeps the Pareto front of kept bytes and
// extra work. Every block must have a choice that covers it alone.
CheckpointPlan best_plan(size_t blocks, const std::vector<Choice>& choices, Bytes limit, double in_flight);

}  // namespace foreflow::transform
