#include "search/bounds/staged_step.h"

namespace foreflow::search {

StagedStep::StagedStep(const scenario::Scenario& of, const scenario::StageDemand& stages, const KnownPlan& schedule,
                       GroupShapes& shapes_of, const Arrangement& ranks)
    : scenario(of),
      strategy(of.strategy),
      demand(stages),
      known(schedule),
      shapes(shapes_of),
      where(ranks),
      exchange(of, shapes_of, ranks),
      group(strategy.devices() / strategy.pp / exchange.ways()) {}

std::pair<size_t, int> StagedStep::place_of(size_t stage) const {
  for (size_t device = 0; device < plan().order.size(); ++device) {
    for (int chunk = 0; chunk < plan().size.chunks; ++chunk) {
      if (stage_of(device, chunk) == stage) return {device, chunk};
    }
  }
  FOREFLOW_CHECK(false, "every stage is on a device");
}

}  // namespace foreflow::search
