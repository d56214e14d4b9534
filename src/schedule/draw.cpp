#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "foreflow/schedule/play.h"

namespace foreflow::schedule {
namespace {

constexpr double kMostColumns      = 100000;
constexpr double kColumnsPerTask   = 12;    // a divisor that cuts the shortest task finer than this is not reasonable
constexpr double kRoundingInColumn = 1e-6;  // of the shortest task: less than this is rounding, not time

double divisor(double a, double b, double tolerance) {
  while (b > tolerance) {
    const double rest = std::fmod(a, b);
    // Just below a multiple is a multiple.
    a = std::exchange(b, b - rest > tolerance ? rest : 0);
  }
  return a;
}

// `text` and then `filler` up to `width`.
std::string fill(std::string text, char filler, size_t width) {
  text.resize(std::max(width, text.size()), filler);
  return text;
}

// The characters of a column, without the blank after it: those of the longest label.
size_t label_width(const Slots& slots) {
  size_t width = 2;
  for (const auto& row : slots) {
    for (const Slot& slot : row) width = std::max(width, label(slot.task).size());
  }
  return width;
}

}  // namespace

double column_time(const Slots& slots) {
  double shortest = 0, end = 0;
  for (const auto& row : slots) {
    for (const Slot& slot : row) {
      const double length = slot.end - slot.start;
      if (length > 0 && (shortest == 0 || length < shortest)) shortest = length;
      end = std::max(end, slot.end);
    }
  }
  if (shortest == 0) return 1;
  double common = shortest;
  for (const auto& row : slots) {
    for (const Slot& slot : row) {
      for (const double time : {slot.start, slot.end}) common = divisor(time, common, kRoundingInColumn * shortest);
    }
  }
  const double wanted = common * kColumnsPerTask >= shortest ? common : shortest / 2;
  return std::max(wanted, end / kMostColumns);
}

double picture_size(const Slots& slots) {
  double end = 0;
  for (const auto& row : slots) end = std::max(end, row.empty() ? 0 : row.back().end);
  const double columns = end / column_time(slots);
  return static_cast<double>(slots.size()) * columns * static_cast<double>(label_width(slots) + 1);
}

std::string draw(const Slots& slots, std::string_view row_name) {
  const double column     = column_time(slots);
  const size_t width      = label_width(slots);
  const size_t name_width = slots.empty() ? 1 : std::to_string(slots.size() - 1).size();
  const auto column_at    = [&](double time) { return static_cast<size_t>(std::llround(time / column)); };

  std::string picture;
  for (size_t device = 0; device < slots.size(); ++device) {
    std::string line = fmt::format("{} {:>{}} |", row_name, device, name_width);
    size_t drawn     = 0;
    for (const Slot& slot : slots[device]) {
      const size_t start = column_at(slot.start), end = column_at(slot.end);
      for (; drawn < start; ++drawn) line += ' ' + std::string(width, '.');
      if (end > start)
        line += (slot.task.joined ? '&' : ' ') + fill(label(slot.task), '-', (end - start) * (width + 1) - 1);
      drawn = std::max(drawn, end);
    }
    picture += line + '\n';
  }
  return picture;
}

}  // namespace foreflow::schedule
