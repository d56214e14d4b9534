#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "foreflow/base/at_place.h"
#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "foreflow/cost/device_calibration.h"
#include "foreflow/scenario/run.h"
#include "foreflow/simulate/profiles.h"
#include "scenario/distribution/fit_recompute.h"

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
    const auto fail      = [&](const std::string& what) { throw Error(scenario.where("collective.channels"), what); };
    if (processors == 0) fail("needs the number of processors of " + device.kind + ", which is not known; use 0");
    if (scenario.channels >= processors)
      fail("is not below the " + std::to_string(processors) + " processors of " + device.kind);
    share = std::max(share, static_cast<double>(scenario.channels) / processors);
  }
  return share;
}

// A type that asks for units which older devices lack (V100 has none of tf32, A100 none of fp8), and what they have.
struct UnitType {
  std::string_view dtype, peak, instead;
};
constexpr UnitType kUnitTypes[] = {{"tf32", "tf32", "f32"}, {"fp8", "f8", "bf16"}};

// The first device without such units, of those that the ranks take; where they have no legal places, of all kinds if
// none has them.
std::optional<std::string> device_without(std::string_view peak, const Scenario& scenario,
                                          const platform::Platform& platform) {
  const auto& kinds  = platform.devices().kinds();
  const auto lacking = [&](const platform::Device& device) { return !device.peaks.contains(std::string(peak)); };
  const auto without = std::count_if(kinds.begin(), kinds.end(), lacking);
  if (without == 0) return std::nullopt;
  if (without == static_cast<ptrdiff_t>(kinds.size())) return kinds.begin()->kind;
  const auto places = try_places(scenario, platform);
  if (!places) return std::nullopt;
  for (int rank = 0; rank < scenario.strategy.devices(); ++rank) {
    const platform::Device& device = nth(platform.devices(), nth(*places, rank));
    if (lacking(device)) return device.kind;
  }
  return std::nullopt;
}

void check_types(const Scenario& scenario, const platform::Platform& platform) {
  for (const UnitType& type : kUnitTypes) {
    if (scenario.workload.stated_dtype != type.dtype) continue;
    if (const auto kind = device_without(type.peak, scenario, platform)) {
      throw Error(scenario.where("workload.dtype"),
                  fmt::format("is {}, of which {} has no units; use {}", type.dtype, *kind, type.instead));
    }
  }
}

// The device of the platform that has the rank which results call "D1"; nothing if no rank is called so. Those of
// several jobs have no such names.
std::optional<std::string> device_of_rank(std::string_view name, const Scenario& scenario,
                                          const platform::Platform& platform) {
  if (!name.starts_with('D') || !scenario.jobs.empty() || scenario.job >= 0) return std::nullopt;
  const auto number = parse_number<int>(name.substr(1));
  if (!number || *number < 1 || *number > scenario.strategy.devices()) return std::nullopt;
  const auto devices = try_places(scenario, platform);
  if (!devices) return std::nullopt;
  return nth(platform.devices(), nth(*devices, *number - 1)).name;
}

// Disturbances name devices of the platform. Who takes a name from the results learns which device that is.
void check_names(const simulate::NamedDisturbances& disturbances, const Scenario& scenario,
                 const platform::Platform& platform) {
  for (const auto& [name, where] : disturbances.devices) {
    if (platform.find_device(name)) continue;
    if (const auto device = device_of_rank(name, scenario, platform)) {
      throw Error(where, fmt::format("the platform has no device \"{}\"; {} of the results is \"{}\" there", name, name,
                                     *device));
    }
  }
}

}  // namespace

Scenario with_known_names(Scenario scenario, const platform::Platform& platform) {
  check_types(scenario, platform);
  if (scenario.disturbances) {
    check_names(*scenario.disturbances, scenario, platform);
    scenario.simulation.disturbances = simulate::numbered(*scenario.disturbances, platform);
    scenario.disturbances.reset();
  }
  if (scenario.channels > 0) scenario.simulation.collective_share = collective_share(scenario, platform);
  scenario.simulation.disturbances = simulate::with_profiles(std::move(scenario.simulation.disturbances), platform);
  if (const auto check = scenario.engine->check_options) at_place(scenario.file, [&] { check(scenario.simulation); });
  return scenario;
}

Expected<Scenario> resolve(const Scenario& scenario, const Sequential& sequential, const platform::Platform& platform) {
  Scenario named = with_known_names(scenario, platform);
  if (is_resolved(named.strategy)) return named;
  return with_fitted_recompute(sequential, named, platform);
}

}  // namespace foreflow::scenario
