#include "report/words.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "foreflow/base/nth.h"

namespace foreflow::report {
namespace {

// A name and the number that it ends in: "D1.comm" has the number 1 and the rest "D", ".comm".
struct Numbered {
  std::string_view before, after;
  int64_t number = -1;
};

Numbered numbered(std::string_view name) {
  const size_t last = name.find_last_of("0123456789");
  if (last == std::string_view::npos) return {name, {}, -1};
  size_t first = last;
  while (first > 0 && name[first - 1] >= '0' && name[first - 1] <= '9') --first;
  Numbered out = {name.substr(0, first), name.substr(last + 1), -1};
  std::from_chars(name.data() + first, name.data() + last + 1, out.number);
  return out;
}

bool follows(const Numbered& a, const Numbered& b) {
  return a.number >= 0 && b.number == a.number + 1 && a.before == b.before && a.after == b.after;
}

}  // namespace

std::string count(int64_t value) {
  std::string digits = std::to_string(value);
  const size_t sign  = value < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > sign + 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string number(double value) {
  if (std::fabs(value) >= 999.5 && std::fabs(value) < 1e15) return count(std::llround(value));
  return fmt::format("{:.3g}", value);
}

std::string percent(double fraction) { return fmt::format("{:.1f} %", 100 * fraction); }

double share_of_iteration(const Summary& summary, Seconds part) {
  return summary.iteration_time > Seconds(0) ? part / summary.iteration_time : 0;
}

std::string bar(double fraction, int width, std::string_view rest) {
  static constexpr std::array<std::string_view, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * width * 8));
  std::string out;
  for (int i = 0; i < eighths / 8; ++i) out += "█";
  out += nth(kEighths, eighths % 8);
  for (int i = (eighths + 7) / 8; i < width; ++i) out += rest;
  return out;
}

std::string name_ranges(const std::vector<std::string>& names, size_t most) {
  std::string out;
  size_t runs = 0;
  for (size_t i = 0; i < names.size();) {
    if (runs++ == most) return out + fmt::format(" … {} ({})", names.back(), names.size());
    const size_t first = i;
    while (i + 1 < names.size() && follows(numbered(names[i]), numbered(names[i + 1]))) ++i;
    if (first > 0) out += ", ";
    out += names[first];
    if (i > first) out += (i == first + 1 ? ", " : "-") + names[i];
    ++i;
  }
  return out;
}

int cells(std::string_view text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string_view plain_name(std::string_view name) { return name.starts_with('@') ? name.substr(1) : name; }

}  // namespace foreflow::report
