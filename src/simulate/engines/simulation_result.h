// The input of a simulation of communications, its result, and the result as a message from a child process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreflow/platform/platform.h"
#include "foreflow/simulate/options.h"
#include "simulate/footprint/footprint.h"
#include "simulate/streams/compute_times.h"
#include "simulate/streams/participants.h"

namespace foreflow::simulate {

struct SimulationResult {
  std::vector<double> starts;     // of each meeting: arrival of the last member, or the signal; seconds
  std::vector<double> ends;       // of each meeting, in seconds; unspecified for hand-overs
  std::vector<double> busy = {};  // as StreamStates::busy
  // `instance` is a meeting; flows of a meeting in the order of its phases. None with Options::makespan.
  std::vector<stream::Flow> flows;
  std::vector<std::vector<stream::Pace>> paces;  // of each flow; filled with Options::observe only
  double makespan = 0;                           // when the last stream has ended, in seconds
};

std::string to_message(const SimulationResult& result);
SimulationResult from_message(std::string_view message);

// The input of an engine. All members must outlive it.
struct SimulationInput {
  const stream::Program& program;
  const Participants& participants;
  const Footprints& footprints;
  const ComputeTimes& times;
  const Options& options;
};

// The whole timeline: given when communications start and end, the records of all streams follow.
stream::Timeline timeline_of(SimulationResult result, const SimulationInput& input, const platform::Platform& platform);

// The timeline of a folded program, of which `input` is made: an entry for each class of equal communications, and for
// each link of the platform the traffic of the first link of its class.
struct FoldedProgram;
stream::Timeline timeline_of(SimulationResult result, const FoldedProgram& folded, const SimulationInput& input,
                             const platform::Platform& platform);

}  // namespace foreflow::simulate
