#include "foreflow/base/units.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "foreflow/base/error.h"

namespace foreflow {
namespace {

struct Unit {
  std::string_view suffix;
  double factor;
};

constexpr std::array kSecondUnits = {Unit{"ns", 1e-9}, Unit{"us", 1e-6}, Unit{"ms", 1e-3},
                                     Unit{"s", 1},     Unit{"min", 60},  Unit{"h", 3600}};

struct Prefix {
  std::string_view text;
  double factor;
};

constexpr std::array kPrefixes = {Prefix{"", 1},
                                  Prefix{"k", 1e3},
                                  Prefix{"M", 1e6},
                                  Prefix{"G", 1e9},
                                  Prefix{"T", 1e12},
                                  Prefix{"P", 1e15},
                                  Prefix{"E", 1e18},
                                  Prefix{"Ki", 1024},
                                  Prefix{"Mi", 1048576},
                                  Prefix{"Gi", 1073741824},
                                  Prefix{"Ti", 1099511627776.0}};

double finite(double value, std::string_view text, const std::string& where) {
  if (!std::isfinite(value)) throw Error(where, fmt::format("\"{}\" is too large for a number", text));
  return value;
}

// `value` times the factor of whichever prefix + base matches the unit.
double with_unit(std::string_view text, const std::vector<Unit>& units, const char* example, const std::string& where) {
  double number        = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(end, text.data() + text.size() - end);
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  if (ec != std::errc() || !std::isfinite(number)) {
    throw Error(where, fmt::format("\"{}\" is not a number with a unit; write it like \"{}\"", text, example));
  }
  if (number < 0) throw Error(where, fmt::format("\"{}\" is negative; write a quantity like \"{}\"", text, example));
  if (unit.empty()) throw Error(where, fmt::format("\"{}\" has no unit; write it like \"{}\"", text, example));
  for (const Unit& known : units) {
    if (known.suffix == unit) return finite(number * known.factor, text, where);
  }
  for (const Unit& known : units) {
    for (const Prefix& prefix : kPrefixes) {
      if (unit.size() == prefix.text.size() + known.suffix.size() && unit.starts_with(prefix.text) &&
          unit.ends_with(known.suffix)) {
        return finite(number * prefix.factor * known.factor, text, where);
      }
    }
  }
  throw Error(where, fmt::format("\"{}\" has the unknown unit \"{}\"; write it like \"{}\"", text, unit, example));
}

// Four significant digits round everything from here up to 1000, which is 1 of the next unit.
constexpr double kNextUnit = 999.95;

std::string with_prefix(double value, const char* unit) {
  static constexpr std::array<std::string_view, 7> kLarge = {"", "k", "M", "G", "T", "P", "E"};
  size_t step                                             = 0;
  while (std::isfinite(value) && std::fabs(value) >= kNextUnit && step + 1 < kLarge.size()) value /= 1000, ++step;
  return fmt::format("{:.4g} {}{}", value, kLarge[step], unit);
}

}  // namespace

Seconds parse_seconds(std::string_view text, const std::string& where) {
  return Seconds(with_unit(text, {kSecondUnits.begin(), kSecondUnits.end()}, "2us", where));
}

Bytes parse_bytes(std::string_view text, const std::string& where) {
  return Bytes(with_unit(text, {{"B", 1}, {"b", 0.125}}, "64MiB", where));
}

BytesPerSecond parse_bandwidth(std::string_view text, const std::string& where) {
  return BytesPerSecond(with_unit(text, {{"Bps", 1}, {"B/s", 1}, {"bps", 0.125}}, "25GBps", where));
}

FlopsPerSecond parse_flops_rate(std::string_view text, const std::string& where) {
  return FlopsPerSecond(with_unit(text, {{"f", 1}, {"flops", 1}, {"FLOP/s", 1}}, "312Tf", where));
}

std::string format(Seconds time) {
  const double value = time.value();
  if (value == 0) return "0 s";
  for (const auto& [unit, factor] : {Unit{"ns", 1e9}, Unit{"us", 1e6}, Unit{"ms", 1e3}}) {
    if (std::fabs(value) * factor < kNextUnit) return fmt::format("{:.4g} {}", value * factor, unit);
  }
  return fmt::format("{:.4g} s", value);
}

std::string format(Bytes value) { return with_prefix(value.value(), "B"); }
std::string format(BytesPerSecond value) { return with_prefix(value.value(), "B/s"); }
std::string format(FlopsPerSecond value) { return with_prefix(value.value(), "FLOP/s"); }
std::string format(Flops value) { return with_prefix(value.value(), "FLOP"); }

}  // namespace foreflow
