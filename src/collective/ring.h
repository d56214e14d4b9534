// Turns of rings, for algorithms that contain rings.
#pragma once

#include <vector>

#include "foreflow/collective/collective.h"

namespace foreflow::collective {

enum class Receiver { adds, replaces };

// One turn of one ring, order.size() - 1 steps from steps[first] on (appended where missing). chunks[position] are the
// chunks of the rank at that position of the ring: with `adds` their sums end there (reduce-scatter), with `replaces`
// their copies start there (all-gather).
void turn(std::vector<std::vector<Transfer>>& steps, size_t first, const std::vector<int>& order,
          const std::vector<std::vector<int>>& chunks, Receiver receiver);

// One turn of all channels of the group; chunk r * channels + c is rank r's on channel c. Appends ranks - 1 steps.
void turn_channels(std::vector<std::vector<Transfer>>& steps, const Group& group, Receiver receiver);

// All channels of the group at once. `turns`: 1 for reduce-scatter or all-gather, 2 for both, one after the other.
Phase ring_phase(const Group& group, int turns);

}  // namespace foreflow::collective
