#include <fmt/core.h>

#include <cmath>

#include "foreflow/search/objective.h"

namespace foreflow::search::definitions::cost {
namespace {

constexpr double kSecondsPerHour = 3600, kTokens = 1e6;

// The price of all devices for the time of a million tokens.
double value(const Figures& figures, const Terms& terms) {
  const double price              = figures.price > 0 ? figures.price : terms.price;
  const double dollars_per_second = price * static_cast<double>(figures.devices) / kSecondsPerHour;
  return dollars_per_second * kTokens / (figures.samples_per_second * static_cast<double>(terms.tokens_per_sample));
}
double energy(const Figures& figures, const Terms& terms) { return std::log(value(figures, terms)); }
std::string text(double value) { return fmt::format("${:.4g} per million tokens", value); }

}  // namespace

ObjectiveDef row() {
  return {.name         = "cost",
          .doc          = "dollars per million tokens, as few as possible, by the price of a device hour",
          .is_maximised = false,
          .value        = value,
          .energy       = energy,
          .text         = text,
          .column       = "$/M tokens",
          .key          = "dollars_per_million_tokens",
          .superlative  = "Lowest cost",
          .quality      = "cost",
          .as_good      = "costs as much",
          .better       = "cheaper",
          .needs_price  = true};
}

}  // namespace foreflow::search::definitions::cost
