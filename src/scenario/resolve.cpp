#include "foreflow/scenario/run.h"
#include "foreflow/simulate/profiles.h"
#include "scenario/fit_recompute.h"
#include "scenario/read.h"

namespace foreflow::scenario {

bool is_resolved(const Strategy& strategy) {
  return strategy.recompute.kind != transform::Recompute::Kind::optimal || !strategy.recompute.limits.empty();
}

Scenario with_known_names(Scenario scenario, const platform::Platform& platform) {
  if (scenario.disturbances) {
    scenario.simulation.disturbances = simulate::numbered(*scenario.disturbances, platform);
    scenario.disturbances.reset();
  }
  scenario.simulation.disturbances = simulate::with_profiles(std::move(scenario.simulation.disturbances), platform);
  return scenario;
}

Expected<Scenario> resolve(const Scenario& scenario, const Sequential& sequential, const platform::Platform& platform) {
  Scenario named = with_known_names(scenario, platform);
  if (is_resolved(named.strategy)) return named;
  return with_fitted_recompute(sequential, named, platform);
}

}  // namespace foreflow::scenario
