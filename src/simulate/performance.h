// What came of simulating communications, and its way from a child process to its parent.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreflow/platform/platform.h"
#include "foreflow/simulate/options.h"
#include "simulate/cast.h"
#include "simulate/compute_times.h"
#include "simulate/footprint.h"

namespace foreflow::simulate {

struct Performance {
  std::vector<double> starts;                    // of each meeting, when the last member came; or the signal
  std::vector<double> ends;                      // of each meeting; of hand-overs anything
  std::vector<stream::Flow> flows;               // `instance` is a meeting; a meeting's are in the order of its phases
  std::vector<std::vector<stream::Pace>> paces;  // of each flow, with Options::observe
};

std::string to_message(const Performance& performance);
Performance from_message(std::string_view message);

// What is simulated, whoever does it. All parts outlive it.
struct Score {
  const stream::Program& program;
  const Cast& cast;
  const Footprints& footprints;
  const ComputeTimes& times;
  const Options& options;
};

// Given when communications start and end, everything else follows.
stream::Timeline timeline_of(const Performance& performance, const Score& score, const platform::Platform& platform);

}  // namespace foreflow::simulate
