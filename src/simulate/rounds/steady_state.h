// The steady state of a simulation: a stretch in which every stream repeats the stretch before it, one period later.
// The states of the simulation at the beginning and at the end of the stretch are then equal, up to a shift in time:
// every stream is at an item that is followed by equal items, and the same communications are in progress. A program
// with n more such stretches therefore takes exactly n periods longer. A program that does not repeat itself has no
// steady state. Parts of a loop that do not affect each other (components.h) have periods of their own; what waits for
// several of them is linear in the number of periods where one_period_more.h says so.
//
//     stream 1:  F0 F1 F2 | F3 B0 | F4 B1 | F5 B2 | B3 B4 B5        1F1B: each stretch between bars repeats the one
//     stream 2:        F0 | B0 F1 | B1 F2 | B2 F3 | B3 F4 B4 F5 B5  before it
#pragma once

#include <optional>
#include <vector>

#include "simulate/rounds/stretches.h"

namespace foreflow::simulate {

struct SteadyState {
  int64_t loops = 1;             // how many stretches of the loop there are in a period of all
  Stretches stretches;           // by stream: of its own period
  std::vector<int64_t> times;    // by stream: how many of its own periods there are in one of all
  std::vector<Seconds> periods;  // by stream: how long these take; 0 of those that are in no loop
};

// For a run without disturbances that begin or end, of a program that repeats stretches like those of `loop`. Nothing
// if in one of its parts no stretch of at most a third of the longest stream repeats, or if the memory in use differs
// between the beginning and the end of the stretches.
std::optional<SteadyState> steady_state(const FoldedProgram& folded, const stream::Timeline& timeline,
                                        const Stretches& loop);

}  // namespace foreflow::simulate
