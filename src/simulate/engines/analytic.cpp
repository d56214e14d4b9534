// One pass over the streams; every communication has the network for itself.
#include <fmt/format.h>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/simulate/disturbance_kind.h"
#include "foreflow/simulate/simulate.h"
#include "simulate/engines/simulation_result.h"
#include "simulate/fold/fold_compact.h"
#include "simulate/streams/stream_states.h"

namespace foreflow::simulate::definitions::analytic_engine {
namespace {

SimulationResult perform(const SimulationInput& input) {
  SimulationResult result;
  result.ends.resize(input.participants.meetings.size());
  StreamStates states(input.program, input.participants, input.times, input.options);
  states.play([&](int32_t meeting, double start) {
    const Footprint& footprint = input.footprints.of(static_cast<size_t>(meeting));
    Seconds now(start);
    int32_t number = 0;
    for (const Phase& phase : input.footprints.phases_of(footprint)) {
      now += Seconds(phase.delay_at(now.value()));
      if (phase.load >= 0) {
        result.flows.push_back({meeting, number, phase.load, now, now + phase.alone, phase.alone});
        if (input.options.observe) result.paces.push_back({{now, footprint.bytes / phase.alone}});
      }
      now += phase.alone;
      ++number;
    }
    return nth(result.ends, meeting) = now.value();
  });
  if (!states.finished()) states.refuse_stuck();
  result.starts = states.starts();
  result.busy   = std::move(states).busy();
  return result;
}

// Throws Error for what means nothing to this engine.
void check_meaningful(const Options& options) {
  if (options.coupling == Coupling::credit || options.coupling == Coupling::stepwise)
    throw PartError("engine analytic",
                    "moves every collective at one pace, so how its hops are coupled means nothing to it; use engine "
                    "simgrid, or the couplings auto or coupled");
  for (const DisturbanceDef& kind : disturbance_kinds()) {
    if (kind.affects != Affected::links || !kind.is_given(options.disturbances)) continue;
    throw PartError(
        "engine analytic",
        fmt::format("knows no shared links, so disturbances.{} means nothing to it; use engine simgrid", kind.name));
  }
}

stream::Timeline simulate(const stream::Program& program, const platform::Platform& platform, const Options& options) {
  check(options.disturbances, platform);
  check_meaningful(options);
  const ComputeTimes times(program, platform, options.disturbances);
  const Footprints prints         = footprints(program, platform);
  const Participants participants = all_participants(program, prints);
  const SimulationInput input{program, participants, prints, times, options};
  return timeline_of(perform(input), input, platform);
}

stream::Timeline simulate_folded(const FoldedProgram& folded, const platform::Platform& platform,
                                 const Options& options) {
  check_meaningful(options);
  const ComputeTimes times(folded.program, platform, options.disturbances);
  const Participants participants = all_participants(folded.program, folded.each);
  // Communications do not slow each other down, so all equal ones take the same time.
  SimulationResult result = perform({folded.program, participants, folded.each, times, options});
  return timeline_of(std::move(result), folded, {folded.program, participants, folded.together, times, options},
                     platform);
}

}  // namespace

EngineDef row() {
  return {"analytic",      "a linear scan; communications never slow each other down",
          simulate,        simulate_folded,
          false,           true,
          check_meaningful};
}

}  // namespace foreflow::simulate::definitions::analytic_engine
