// One pass over the instances; every communication has the network for itself.
#include "foreflow/simulate/simulate.h"
#include "simulate/footprint.h"
#include "simulate/link_use.h"
#include "simulate/replay.h"

namespace foreflow::simulate::definitions {
namespace {

stream::Timeline run(const stream::Program& program, const platform::Platform& platform) {
  const Footprints prints = footprints(program, platform);
  std::vector<std::vector<Interval>> flows(prints.phases.size());
  auto timeline = replay(program, [&](size_t instance, Seconds start) {
    Seconds now       = start;
    const auto& print = prints.of(instance);
    for (auto i = static_cast<size_t>(print.first); i < static_cast<size_t>(print.first + print.count); ++i) {
      const Phase& phase = prints.phases[i];
      const Interval flow{now + phase.delay, now + phase.delay + phase.transfer};
      if (phase.transfer > Seconds(0)) flows[i].push_back(flow);
      now = flow.end;
    }
    return now;
  });
  timeline.links = link_uses(prints, flows, platform.links().size());
  return timeline;
}

}  // namespace

EngineDef analytic() { return {"analytic", "a linear scan; communications never slow each other down", run}; }

}  // namespace foreflow::simulate::definitions
