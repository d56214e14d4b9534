// Algorithms in which every rank sends a message to every other rank, in a form that does not list all messages.
#pragma once

#include <optional>

#include "foreflow/collective/collective.h"

namespace foreflow::collective {

// One phase, in which every rank sends each other rank one message, of `share` of Kind's `bytes`.
struct AllPairs {
  int near_steps, far_steps;  // as of the Phase
  double share;
};

// The compact form of the algorithm's `flows`; nothing when they are not of this kind. Requires: the task is supported.
std::optional<AllPairs> all_pairs(const AlgorithmDef& algorithm, const Task& task);

}  // namespace foreflow::collective
