#include <fmt/core.h>

#include <cmath>

#include "foreflow/search/objective.h"

namespace foreflow::search::definitions::devices {
namespace {

// How much speed counts in the energy: as many devices may be very fast or hardly fast enough.
constexpr double kSpeed = 0.1;

double value(const Figures& figures, const Terms& /*terms*/) { return static_cast<double>(figures.devices); }
double energy(const Figures& figures, const Terms& terms) {
  return std::log(value(figures, terms)) - kSpeed * std::log(figures.samples_per_second);
}
std::string text(double value) { return fmt::format("{:.0f} {}", value, value == 1 ? "device" : "devices"); }

}  // namespace

ObjectiveDef row() {
  return {.name         = "devices",
          .doc          = "the devices that are enough for a given rate, as few as possible; then the fastest",
          .is_maximised = false,
          .value        = value,
          .energy       = energy,
          .text         = text,
          .column       = "devices",
          .key          = "devices",
          .superlative  = "Fewest devices",
          .quality      = "number of devices",
          .as_good      = "needs as many devices",
          .better       = "smaller",
          .needs_rate   = true};
}

}  // namespace foreflow::search::definitions::devices
