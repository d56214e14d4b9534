// Contention: communications that cross a link share it max-min fairly, message by message, in SimGrid's kernel.
// SimGrid allows one engine at a time in a process, and its configuration is that of the first: a run is a forked child
// unless the process is all ours. Where no flow meets another there is nothing for the kernel to do.
#include <algorithm>

#include "foreflow/base/error.h"
#include "foreflow/base/process.h"
#include "foreflow/simulate/simulate.h"
#include "simulate/engines/simgrid_kernel.h"
#include "simulate/fold/fold.h"
#include "simulate/fold/fold_compact.h"
#include "simulate/footprint/coupling.h"

namespace foreflow::simulate::definitions::simgrid_engine {
namespace {

// True when no flow can ever share a link with another one or cross a link that changes.
bool undisturbed(const SimulationInput& input, const Network& network, const ExternalEvents& around) {
  return input.footprints.relays.empty() && around.changes.empty() && around.sources.empty() &&
         std::all_of(network.exclusive.begin(), network.exclusive.end(), [](bool exclusive) { return exclusive; });
}

// True if a run may assume that relays are alone on their links. Runs that are not folded, to which others are
// compared, and runs that tell how fast things move simulate every piece.
bool may_assume_courses(const SimulationInput& input) {
  return !input.footprints.relays.empty() && input.options.fold && !input.options.observe;
}

// Called in the child where there is one, lest the parent's memory be copied for it.
SimulationResult run(const SimulationInput& input, const Network& network, const ExternalEvents& around,
                     bool in_kernel) {
  for (bool courses = may_assume_courses(input); true; courses = false) {
    NetworkSimulation simulation(input, network, around, courses);
    if (in_kernel) run_in_kernel(simulation);
    if (!simulation.mistaken()) return std::move(simulation).take();
  }
}

// The last loads of the score's footprints are those of the background.
SimulationResult perform(const SimulationInput& input, const platform::Platform& platform,
                         std::vector<ExternalEvents::Source> sources) {
  const Disturbances& disturbances = input.options.disturbances;
  for (size_t i = 0; i < sources.size(); ++i)
    sources[i].load = static_cast<int32_t>(input.footprints.loads.size() - sources.size() + i);
  const Network network = condense(input.program, input.footprints, platform, changing_links(disturbances));
  const auto around     = external_events(disturbances, platform, network, input.footprints, std::move(sources));
  if (undisturbed(input, network, around)) return run(input, network, around, false);
  if (input.options.owns_process) return run(input, network, around, true);
  return from_message(run_in_child("simgrid", [&] { return to_message(run(input, network, around, true)); }));
}

stream::Timeline timeline(SimulationResult result, const SimulationInput& input, const platform::Platform& platform) {
  if (input.options.makespan) return {Seconds(result.makespan), {}, {}};
  return timeline_of(std::move(result), input, platform);
}

stream::Timeline simulate(const stream::Program& program, const platform::Platform& platform, const Options& options) {
  check(options.disturbances, platform);
  const ComputeTimes times(program, platform, options.disturbances);
  Footprints prints = footprints(program, platform, options.disturbances.links);
  decouple_rings(prints, program, platform, options.coupling, options.disturbances.links);
  const auto others = sources(options.disturbances, platform, prints);
  if (const auto folded = options.fold ? fold(program, prints, platform, options.disturbances) : std::nullopt) {
    const SimulationInput part{program, folded->participants, folded->footprints, times, options};
    const SimulationInput all{program, folded->participants, prints, times, options};
    try {
      return timeline(perform(part, platform, others), all, platform);
    } catch (const Error&) {
      // Errors refer to the original program, not to a folded one.
    }
  }
  const Participants participants = all_participants(program, prints);
  const SimulationInput input{program, participants, prints, times, options};
  return timeline(perform(input, platform, others), input, platform);
}

stream::Timeline simulate_folded(const FoldedProgram& folded, const platform::Platform& platform,
                                 const Options& options) {
  const ComputeTimes times(folded.program, platform, options.disturbances);
  const Participants participants = all_participants(folded.program, folded.each);
  const SimulationInput input{folded.program, participants, folded.together, times, options};
  Footprints background   = {};  // its loads are those of `together` already
  SimulationResult result = perform(input, platform, sources(options.disturbances, platform, background));
  if (options.makespan) return {Seconds(result.makespan), {}, {}};
  return timeline_of(std::move(result), folded, input, platform);
}

}  // namespace

EngineDef row() {
  return {"simgrid", "contention: communications share links max-min fairly, by a model of our own in SimGrid's kernel",
          simulate, simulate_folded};
}

}  // namespace foreflow::simulate::definitions::simgrid_engine
