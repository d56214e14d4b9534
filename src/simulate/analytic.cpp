// One pass over the streams; every communication has the network for itself.
#include "foreflow/base/error.h"
#include "foreflow/simulate/simulate.h"
#include "simulate/performance.h"
#include "simulate/players.h"
#include "simulate/surroundings.h"

namespace foreflow::simulate::definitions::analytic_engine {
namespace {

Performance perform(const Score& score) {
  Performance result;
  result.ends.resize(score.cast.meetings.size());
  Players players(score.program, score.cast, score.times);
  players.play([&](int32_t meeting, double start) {
    const Footprint& footprint = score.footprints.of(static_cast<size_t>(meeting));
    Seconds now(start);
    int32_t number = 0;
    for (const Phase& phase : score.footprints.phases_of(footprint)) {
      now += phase.delay;
      if (phase.load >= 0) {
        result.flows.push_back({meeting, number, phase.load, now, now + phase.alone, phase.alone});
        if (score.options.observe) result.paces.push_back({{now, footprint.bytes / phase.alone}});
      }
      now += phase.alone;
      ++number;
    }
    return result.ends[static_cast<size_t>(meeting)] = now.value();
  });
  if (!players.finished()) players.refuse_stuck();
  result.starts = players.starts();
  return result;
}

stream::Timeline simulate(const stream::Program& program, const platform::Platform& platform, const Options& options) {
  check(options.disturbances, platform);
  if (options.coupling == Coupling::credit || options.coupling == Coupling::stepwise)
    throw Error("engine analytic",
                "moves every collective at one pace, so how its hops are coupled means nothing to it; use engine "
                "simgrid, or the couplings auto or coupled");
  if (!options.disturbances.links.empty() || !options.disturbances.background.empty())
    throw Error("engine analytic",
                "knows no shared links, so link traces and background traffic mean nothing to it; use engine simgrid");
  const ComputeTimes times(program, options.disturbances);
  const Footprints prints = footprints(program, platform);
  const Cast cast         = everybody(program, prints);
  const Score score{program, cast, prints, times, options};
  return timeline_of(perform(score), score, platform);
}

}  // namespace

EngineDef row() { return {"analytic", "a linear scan; communications never slow each other down", simulate}; }

}  // namespace foreflow::simulate::definitions::analytic_engine
