// Algorithms in which every rank sends each other rank a message, for those who need not see all of them.
#pragma once

#include <optional>

#include "foreflow/collective/collective.h"

namespace foreflow::collective {

// One phase, in which every rank sends each other rank one message, of `share` of Kind's `bytes`.
struct AllPairs {
  int near_steps, far_steps;  // as of the Phase
  double share;
};

// Says in brief what the algorithm's `flows` say with a flow for each pair; nothing where they are something else. The
// task is supported.
std::optional<AllPairs> all_pairs(const AlgorithmDef& algorithm, const Task& task);

}  // namespace foreflow::collective
