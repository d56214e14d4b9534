// Laws of collectives as predictions take them: inside a server of the device that was measured.
#include <algorithm>

#include "cost/laws/law.h"
#include "cost/shipped.h"
#include "foreflow/cost/device_calibration.h"

namespace foreflow::cost {
namespace {

// Devices whose servers have the links of another's.
constexpr std::pair<std::string_view, std::string_view> kTwins[] = {{"A100-SXM4-40GB", "A100-SXM4-80GB"},
                                                                    {"V100-SXM2-32GB", "V100-SXM2-16GB"}};

std::string_view measured_device(std::string_view device) {
  const auto* twin =
      std::find_if(std::begin(kTwins), std::end(kTwins), [&](const auto& row) { return row.first == device; });
  return twin == std::end(kTwins) ? device : twin->second;
}

// If every number of ranks has other links, each number has a law of its own, whose name says so: "all_reduce over 4".
const FittedLaw* find_law(std::string_view device, std::string_view kind, int ranks) {
  const std::string own = std::string(kind) + " over " + std::to_string(ranks);
  for (const DeviceCalibration& calibration : shipped_calibrations()) {
    if (calibration.device != device) continue;
    for (const FittedLaw& law : calibration.laws) {
      if (law.law == "collective" && (law.of == kind || law.of == own)) return &law;
    }
  }
  return nullptr;
}

}  // namespace

std::optional<Seconds> measured_collective(const ServerCollective& collective) {
  const FittedLaw* law = find_law(measured_device(collective.device), collective.kind, collective.ranks);
  if (law == nullptr) return std::nullopt;
  const double ranks = collective.ranks, bytes = collective.bytes.value();
  // As data_sets.cpp writes them: a factor of (n - 1) / n, or of 2 (n - 1) / n, goes with as many steps.
  const double steps = collective.bus_factor * ranks;
  return Seconds(
      laws()
          .get(law->law, "calibration")
          .seconds(law->constants,
                   {ranks, bytes, steps, collective.bus_factor * bytes, collective.switch_adds ? 1.0 : 0.0, 0}, {}));
}

}  // namespace foreflow::cost
