// Predictions of scenarios with many microbatches from the programs of a few.
//
// In the middle of a pipeline's program the microbatches repeat each other (simulate/rounds/rounds.h), so the program
// of all of them follows from that of a few. Where a simulation of it has a steady state
// (simulate/rounds/steady_state.h), each further period takes as long as the last one, does the same work, and leaves
// the memory unchanged. All figures of a summary are therefore linear in the number of periods: those of the run, plus
// the difference that one period makes for each period that was left out.
#pragma once

#include <optional>
#include <vector>

#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// Numbers of microbatches from which the rest may be extrapolated, to be tried one after the other. Empty: the program
// needs all of them.
std::vector<int> few_microbatches(const Scenario& scenario, const Sequential& sequential);

// The prediction from the program of `few` of the microbatches, with programs from `shared` (null: none). Nothing if
// all of them cannot be extrapolated from it.
Expected<std::optional<Prediction>> try_predict_from_few(int few, const Scenario& scenario,
                                                         const Sequential& sequential,
                                                         const platform::Platform& platform,
                                                         SharedPrograms* shared = nullptr);

// The first three steps of the chain for a program that runs only that many of the microbatches (0: all of them), with
// the data of all of them in memory. Nothing if the sizes of these data do not follow from the program.
Expected<std::optional<lower::Lowered>> try_lower_some(const Scenario& scenario, const Sequential& sequential,
                                                       const platform::Platform& platform, int run,
                                                       const Finished& finished = {}, SharedPrograms* shared = nullptr);

}  // namespace foreflow::scenario
