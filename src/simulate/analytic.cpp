// One pass over the instances; every communication has the network for itself.
#include "foreflow/simulate/simulate.h"
#include "simulate/footprint.h"
#include "simulate/link_use.h"
#include "simulate/replay.h"

namespace foreflow::simulate::definitions {
namespace {

stream::Timeline run(const stream::Program& program, const platform::Platform& platform, const Options&) {
  const Footprints prints = footprints(program, platform);
  std::vector<stream::Flow> flows;
  auto timeline  = replay(program, [&](size_t instance, Seconds start) {
    const Footprint& footprint = prints.of(instance);
    const Seconds begin = start + footprint.delay, end = begin + footprint.transfer;
    if (footprint.transfer > Seconds(0))
      flows.push_back({static_cast<int32_t>(instance), 0, prints.of_instance[instance], begin, end, footprint.transfer});
    return end;
  });
  timeline.flows = std::move(flows);
  timeline.loads = loads(prints);
  timeline.links = link_uses(program, timeline, platform.links().size());
  return timeline;
}

}  // namespace

EngineDef analytic() { return {"analytic", "a linear scan; communications never slow each other down", run}; }

}  // namespace foreflow::simulate::definitions
