#include "platform/link_text.h"

#include <fmt/core.h>

#include <string_view>

namespace foreflow::platform {
namespace {

// The number in `unit`s when that reads back the same, else in SI units.
std::string shortest(double value, double unit, std::string_view prefixed, std::string_view plain) {
  const double scaled = value / unit;
  return scaled * unit == value ? fmt::format("{}{}", scaled, prefixed) : fmt::format("{}{}", value, plain);
}

}  // namespace

std::string to_text(BytesPerSecond bandwidth) { return shortest(bandwidth.value(), 1e9, "GBps", "Bps"); }
std::string to_text(Seconds latency) { return shortest(latency.value(), 1e-6, "us", "s"); }

}  // namespace foreflow::platform
