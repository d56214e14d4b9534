// Contention: communications that cross a link share it max-min fairly, message by message, in SimGrid's kernel.
// A run is a forked child of the process that has loaded the platform: SimGrid allows one engine in a process.
#include "foreflow/base/process.h"
#include "foreflow/simulate/simulate.h"
#include "simulate/kernel.h"

namespace foreflow::simulate::definitions {
namespace {

stream::Timeline simulate(const stream::Program& program, const platform::Platform& platform, const Options& options) {
  const ComputeTimes times(program, options.disturbances);
  const Footprints prints = footprints(program, platform);
  const Network network   = condense(program, prints, platform);
  const Cast cast         = everybody(program, prints);
  const Score score{program, cast, prints, times, options};
  const auto message = run_in_child("simgrid", [&] { return to_message(perform(score, network)); });
  return timeline_of(from_message(message), score, platform);
}

}  // namespace

EngineDef simgrid() {
  return {"simgrid", "contention: communications share links max-min fairly, by a model of our own in SimGrid's kernel",
          simulate};
}

}  // namespace foreflow::simulate::definitions
