#include "platform/zones/quantities.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"

namespace foreflow::platform::zones {
namespace {

struct Prefix {
  std::string_view text;
  double factor;
};

constexpr std::array kDecimal = {Prefix{"", 1},     Prefix{"k", 1e3},  Prefix{"M", 1e6},
                                 Prefix{"G", 1e9},  Prefix{"T", 1e12}, Prefix{"P", 1e15},
                                 Prefix{"E", 1e18}, Prefix{"Z", 1e21}, Prefix{"Y", 1e24}};
constexpr std::array kBinary  = {Prefix{"Ki", 0x1p10}, Prefix{"Mi", 0x1p20}, Prefix{"Gi", 0x1p30}, Prefix{"Ti", 0x1p40},
                                 Prefix{"Pi", 0x1p50}, Prefix{"Ei", 0x1p60}, Prefix{"Zi", 0x1p70}, Prefix{"Yi", 0x1p80}};
// SimGrid spells one "zeta"; its documentation says "zetta".
constexpr std::array kWords = {Prefix{"kilo", 1e3},  Prefix{"mega", 1e6},   Prefix{"giga", 1e9},
                               Prefix{"tera", 1e12}, Prefix{"peta", 1e15},  Prefix{"exa", 1e18},
                               Prefix{"zeta", 1e21}, Prefix{"zetta", 1e21}, Prefix{"yotta", 1e24}};
constexpr std::array kTimes = {Prefix{"s", 1},     Prefix{"ms", 1e-3},  Prefix{"us", 1e-6},
                               Prefix{"ns", 1e-9}, Prefix{"ps", 1e-12}, Prefix{"m", 60},
                               Prefix{"h", 3600},  Prefix{"d", 86400},  Prefix{"w", 604800}};

// Returns the factor by which the unit multiplies the number; 0 if the unit is unknown.
template <class Table>
double factor(const Table& table, std::string_view unit, std::string_view tail) {
  if (!unit.ends_with(tail)) return 0;
  const std::string_view prefix = unit.substr(0, unit.size() - tail.size());
  for (const Prefix& row : table) {
    if (row.text == prefix) return row.factor;
  }
  return 0;
}

double bandwidth_factor(std::string_view unit) {
  for (const auto& [tail, bytes] : {std::pair<std::string_view, double>{"Bps", 1}, {"bps", 0.125}}) {
    if (const double scale = factor(kDecimal, unit, tail) + factor(kBinary, unit, tail); scale > 0)
      return scale * bytes;
  }
  return 0;
}

double speed_factor(std::string_view unit) {
  if (unit == "flops") return 1;
  return factor(kDecimal, unit, "f") + factor(kWords, unit, "flops");
}

double time_factor(std::string_view unit) { return factor(kTimes, unit, ""); }

double read(std::string_view text, double (*of_unit)(std::string_view), std::string_view plain, const char* examples) {
  // SimGrid reads with strtod, which passes over spaces and a plus before the number, and depends on the locale.
  std::string_view signless = text.substr(std::min(text.find_first_not_of(" \t\n\v\f\r"), text.size()));
  if (signless.starts_with('+') && !signless.starts_with("+-")) signless.remove_prefix(1);
  double number           = 0;
  const char* const stop  = signless.data() + signless.size();
  const auto [end, error] = std::from_chars(signless.data(), stop, number);
  if (error == std::errc::invalid_argument)
    throw Error("", fmt::format("\"{}\" is no number with a unit, like {}", text, examples));
  const std::string_view unit = signless.substr(static_cast<size_t>(end - signless.data()));
  const double scale          = of_unit(unit.empty() ? plain : unit);
  if (scale == 0)
    throw Error("", fmt::format("\"{}\" has the unknown unit \"{}\"; write it like {}", text, unit, examples));
  const double value = number * scale;
  if (error == std::errc::result_out_of_range || !std::isfinite(value))
    throw Error("", fmt::format("\"{}\" is out of range", text));
  return value;
}

}  // namespace

BytesPerSecond read_bandwidth(std::string_view text) {
  const double value = read(text, bandwidth_factor, "Bps", "\"125MBps\" or \"1Gbps\"");
  if (value <= 0) throw Error("", fmt::format("\"{}\" must be above zero, like \"125MBps\"", text));
  return BytesPerSecond(value);
}

BytesPerSecond read_optional_bandwidth(std::string_view text) {
  const double value = read(text, bandwidth_factor, "Bps", "\"125MBps\" or \"1Gbps\"");
  if (value < 0) throw Error("", fmt::format("\"{}\" must not be negative, like \"125MBps\"", text));
  return BytesPerSecond(value);
}

Seconds read_time(std::string_view text) {
  const double value = read(text, time_factor, "s", "\"50us\" or \"1ms\"");
  if (value < 0) throw Error("", fmt::format("\"{}\" must not be negative, like \"50us\"", text));
  return Seconds(value);
}

FlopsPerSecond read_speed(std::string_view text) {
  const double value = read(text, speed_factor, "f", "\"1Gf\" or \"500megaflops\"");
  if (value < 0) throw Error("", fmt::format("\"{}\" must not be negative, like \"1Gf\"", text));
  return FlopsPerSecond(value);
}

std::vector<FlopsPerSecond> read_speeds(std::string_view text) {
  std::vector<FlopsPerSecond> speeds;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    speeds.push_back(read_speed(trim(text.substr(begin, end - begin))));
    begin = end + 1;
  }
  return speeds;
}

}  // namespace foreflow::platform::zones
