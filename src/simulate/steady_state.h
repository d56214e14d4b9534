// The steady state of a simulation: a stretch of time in which all streams do what they did in the stretch before, a
// period later. The state at the beginning of the stretch is then that at its end, shifted in time: streams are at
// items with equal ones behind them, and the same communications are under way. So a program with one more such
// stretch takes one period longer, and one with any number of them takes as many periods longer; nothing is assumed
// where nothing repeats.
//
//     stream 1:  F0 F1 F2 | F3 B0 | F4 B1 | F5 B2 | B3 B4 B5        1F1B: each stretch between bars repeats the one
//     stream 2:        F0 | B0 F1 | B1 F2 | B2 F3 | B3 F4 B4 F5 B5  before it
#pragma once

#include <optional>

#include "simulate/stretches.h"

namespace foreflow::simulate {

struct SteadyState {
  Stretches stretches;
  Seconds period;
};

// Of a run without disturbances that come or go. Nothing when no stretch of at most a third of the longest stream
// repeats, or memory at the end of a stretch is not what it was at its beginning.
std::optional<SteadyState> steady_state(const stream::Program& program, const stream::Timeline& timeline,
                                        const std::vector<int32_t>& kind_of_instance);

// Whether `longer` is `timeline` with every stretch once more, a period later.
bool is_one_period_more(const stream::Timeline& longer, const stream::Timeline& timeline, const SteadyState& steady);

}  // namespace foreflow::simulate
