#include <algorithm>

#include "foreflow/cost/device_calibration.h"
#include "foreflow/scenario/run.h"
#include "foreflow/simulate/profiles.h"
#include "scenario/fit_recompute.h"
#include "scenario/read.h"

namespace foreflow::scenario {

bool is_resolved(const Strategy& strategy) {
  return strategy.recompute.kind != transform::Recompute::Kind::optimal || !strategy.recompute.limits.empty();
}

namespace {

// The share of the device with the fewest processors that channels may take.
double collective_share(const Scenario& scenario, const platform::Platform& platform) {
  double share = 0;
  for (const platform::Device& device : platform.devices().kinds()) {
    const int processors = cost::processors_of_device(device.kind);
    const JsonView where = scenario.root().at("collective").at("channels");
    if (processors == 0) where.fail("needs the number of processors of " + device.kind + ", which is not known; use 0");
    if (scenario.channels >= processors)
      where.fail("is not below the " + std::to_string(processors) + " processors of " + device.kind);
    share = std::max(share, static_cast<double>(scenario.channels) / processors);
  }
  return share;
}

// "dtype": "tf32" asks for units that V100 and older ones lack.
void check_types(const Scenario& scenario, const platform::Platform& platform) {
  for (const Job& job : scenario.jobs) check_types(job.scenario, platform);
  if (!scenario.jobs.empty() || !scenario.workload.tf32) return;
  const JsonView workload = scenario.root().at("workload");
  if (!workload.has("dtype") || workload.at("dtype").as_string() != "tf32") return;
  const auto has_units = [](const platform::Device& device) { return device.peaks.contains("tf32"); };
  const auto& kinds    = platform.devices().kinds();
  if (std::none_of(kinds.begin(), kinds.end(), has_units))
    workload.at("dtype").fail("is tf32, of which " + kinds.begin()->kind + " has no units; use f32");
}

}  // namespace

Scenario with_known_names(Scenario scenario, const platform::Platform& platform) {
  check_types(scenario, platform);
  if (scenario.disturbances) {
    scenario.simulation.disturbances = simulate::numbered(*scenario.disturbances, platform);
    scenario.disturbances.reset();
  }
  if (scenario.channels > 0) scenario.simulation.collective_share = collective_share(scenario, platform);
  scenario.simulation.disturbances = simulate::with_profiles(std::move(scenario.simulation.disturbances), platform);
  return scenario;
}

Expected<Scenario> resolve(const Scenario& scenario, const Sequential& sequential, const platform::Platform& platform) {
  Scenario named = with_known_names(scenario, platform);
  if (is_resolved(named.strategy)) return named;
  return with_fitted_recompute(sequential, named, platform);
}

}  // namespace foreflow::scenario
