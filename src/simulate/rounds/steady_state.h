// The steady state of a simulation: a stretch in which every stream repeats the stretch before it, one period later.
// The states of the simulation at the beginning and at the end of the stretch are then equal, up to a shift in time:
// every stream is at an item that is followed by equal items, and the same communications are in progress. A program
// with n more such stretches therefore takes exactly n periods longer. A program that does not repeat itself has no
// steady state.
//
//     stream 1:  F0 F1 F2 | F3 B0 | F4 B1 | F5 B2 | B3 B4 B5        1F1B: each stretch between bars repeats the one
//     stream 2:        F0 | B0 F1 | B1 F2 | B2 F3 | B3 F4 B4 F5 B5  before it
#pragma once

#include <optional>

#include "simulate/rounds/stretches.h"

namespace foreflow::simulate {

struct SteadyState {
  Stretches stretches;
  Seconds period;
};

// For a run without disturbances that begin or end. Nothing if no stretch of at most a third of the longest stream
// repeats, or if the memory in use differs between the beginning and the end of the stretch.
std::optional<SteadyState> steady_state(const stream::Program& program, const stream::Timeline& timeline,
                                        const std::vector<int32_t>& kind_of_instance);

// True if `longer` equals `timeline` with every stretch repeated once, a period later.
bool is_one_period_more(const stream::Timeline& longer, const stream::Timeline& timeline, const SteadyState& steady);

}  // namespace foreflow::simulate
