// One pass over the instances; every communication has the network for itself.
#include "foreflow/simulate/simulate.h"
#include "simulate/footprint.h"
#include "simulate/link_use.h"
#include "simulate/replay.h"

namespace foreflow::simulate::definitions {
namespace {

stream::Timeline run(const stream::Program& program, const platform::Platform& platform) {
  const Footprints prints = footprints(program, platform);
  std::vector<std::vector<Interval>> flows(prints.distinct.size());
  auto timeline  = replay(program, [&](size_t instance, Seconds start) {
    const Footprint& footprint = prints.of(instance);
    const Interval flow{start + footprint.delay, start + footprint.delay + footprint.transfer};
    if (footprint.transfer > Seconds(0)) flows[static_cast<size_t>(prints.of_instance[instance])].push_back(flow);
    return flow.end;
  });
  timeline.links = link_uses(prints, flows, platform.links().size());
  return timeline;
}

}  // namespace

EngineDef analytic() { return {"analytic", "a linear scan; communications never slow each other down", run}; }

}  // namespace foreflow::simulate::definitions
