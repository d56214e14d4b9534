// Predictions of scenarios with many microbatches from the programs of a few.
//
// In the middle of a pipeline's program the microbatches repeat each other (simulate/rounds.h), so the program of all
// of them follows from that of a few. Where a simulation of it has a steady state (simulate/steady_state.h), each
// further period takes as long as the last, does the same work, and leaves memory as it was. So all figures of a
// summary are linear in the number of periods: those of the run, and for each period that was left out the difference
// that one period more makes.
#pragma once

#include <optional>

#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// How many microbatches a program needs for all of them to follow; 0: it needs all.
int few_microbatches(const Scenario& scenario, const Sequential& sequential);

// From the program of `few` of the microbatches, with programs that others share (null: none). Nothing when it does not
// tell what all do.
Expected<std::optional<Prediction>> try_predict_from_few(int few, const Scenario& scenario,
                                                         const Sequential& sequential,
                                                         const platform::Platform& platform,
                                                         SharedPrograms* shared = nullptr);

// The first three steps of the chain for the program that runs only so many of the microbatches (0: all of them), with
// the data of all of them in memory. Nothing when the program does not show what these are.
Expected<std::optional<lower::Lowered>> try_lower_some(const Scenario& scenario, const Sequential& sequential,
                                                       const platform::Platform& platform, int run,
                                                       const Finished& finished = {}, const Held& held = {},
                                                       SharedPrograms* shared = nullptr);

}  // namespace foreflow::scenario
