// One pass over the streams; every communication has the network for itself.
#include <algorithm>

#include "foreflow/simulate/simulate.h"
#include "simulate/footprint.h"
#include "simulate/link_use.h"
#include "simulate/replay.h"

namespace foreflow::simulate::definitions {
namespace {

stream::Timeline simulate(const stream::Program& program, const platform::Platform& platform, const Options& options) {
  const ComputeTimes times(program, options.disturbances);
  const Footprints prints = footprints(program, platform);
  std::vector<stream::Flow> flows;
  auto timeline = replay(program, times, [&](size_t instance, Seconds now) {
    int32_t number = 0;
    for (const Phase& phase : prints.phases_of(prints.of(instance))) {
      now += phase.delay;
      if (phase.load >= 0)
        flows.push_back({static_cast<int32_t>(instance), number, phase.load, now, now + phase.alone, phase.alone});
      now += phase.alone;
      ++number;
    }
    return now;
  });
  std::stable_sort(flows.begin(), flows.end(),
                   [](const stream::Flow& a, const stream::Flow& b) { return a.instance < b.instance; });
  timeline.flows = std::move(flows);
  timeline.loads = crossings(prints);
  if (options.observe) {
    for (const stream::Flow& flow : timeline.flows)
      timeline.paces.push_back({{flow.start, prints.of(static_cast<size_t>(flow.instance)).bytes / flow.alone}});
  }
  timeline.links = link_uses(program, timeline, platform.links().size());
  return timeline;
}

}  // namespace

EngineDef analytic() { return {"analytic", "a linear scan; communications never slow each other down", simulate}; }

}  // namespace foreflow::simulate::definitions
