#include <fmt/core.h>

#include <cmath>

#include "foreflow/search/objective.h"

namespace foreflow::search::definitions::throughput {
namespace {

double value(const Figures& figures, const Terms& /*terms*/) { return figures.samples_per_second; }
double energy(const Figures& figures, const Terms& /*terms*/) { return -std::log(figures.samples_per_second); }
std::string text(double value) { return fmt::format("{:.5g} samples/s", value); }

}  // namespace

ObjectiveDef row() {
  return {.name         = "throughput",
          .doc          = "samples per second, as many as possible",
          .is_maximised = true,
          .value        = value,
          .energy       = energy,
          .text         = text,
          .column       = "",
          .key          = "",
          .superlative  = "Highest throughput",
          .quality      = "speed",
          .as_good      = "is as fast",
          .better       = "faster"};
}

}  // namespace foreflow::search::definitions::throughput
