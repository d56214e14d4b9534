#include "platform/link_text.h"

#include <fmt/core.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "foreflow/base/text.h"

namespace foreflow::platform {
namespace {

struct LinkUnit {
  std::string_view name;
  double factor;
};

// The number in the first of `units` in which it reads back the same, with few digits if that is possible, else in SI
// units.
std::string shortest(double value, std::initializer_list<LinkUnit> units, std::string_view plain) {
  constexpr int kDigits = 15;  // what follows them may be an error of the division
  for (const LinkUnit& unit : units) {
    const double rounded =
        parse_number<double>(fmt::format("{:.{}g}", value / unit.factor, kDigits)).value_or(value / unit.factor);
    if (rounded * unit.factor == value) return fmt::format("{}{}", rounded, unit.name);
  }
  for (const LinkUnit& unit : units) {
    const double scaled = value / unit.factor;
    if (scaled * unit.factor == value) return fmt::format("{}{}", scaled, unit.name);
  }
  return fmt::format("{}{}", value, plain);
}

}  // namespace

std::string to_text(Bytes memory) { return shortest(memory.value(), {{"GB", 1e9}}, "B"); }
std::string to_text(FlopsPerSecond peak) {
  if (peak.value() >= 1e12) return shortest(peak.value(), {{"Tf", 1e12}}, "f");
  return shortest(peak.value(), {{"Gf", 1e9}}, "f");
}
std::string memory_text(BytesPerSecond bandwidth) {
  if (bandwidth.value() >= 2e12) return shortest(bandwidth.value(), {{"TBps", 1e12}}, "Bps");
  return to_text(bandwidth);
}
std::string to_text(BytesPerSecond bandwidth) { return shortest(bandwidth.value(), {{"GBps", 1e9}}, "Bps"); }

std::string to_text(Seconds latency) {
  constexpr LinkUnit kMicro{"us", 1e-6}, kNano{"ns", 1e-9};
  const bool is_short = latency > Seconds(0) && latency < Seconds(kMicro.factor);
  return is_short ? shortest(latency.value(), {kNano, kMicro}, "s") : shortest(latency.value(), {kMicro}, "s");
}

std::string to_text(double number) { return fmt::format("{}", number); }
std::string to_text(int number) { return fmt::format("{}", number); }

}  // namespace foreflow::platform
