#include "foreflow/report/gantt.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "foreflow/base/escape.h"

namespace foreflow::report {
namespace {

constexpr std::string_view kLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

// Returns the letter of the bar that runs at `time`. Bars are sorted by start, but may overlap.
char letter_at(const GanttRow& row, Seconds time) {
  char letter = '.';
  for (const Bar& bar : row.bars) {
    if (bar.start > time) break;
    if (bar.end <= time) continue;
    if (letter != '.') return '#';
    letter = kLetters[static_cast<size_t>(bar.number) % kLetters.size()];
  }
  return letter;
}

// Each bar in the first lane that is free when it starts.
struct Lanes {
  std::vector<size_t> of_bar;
  size_t count = 1;
};

Lanes lanes_of(const GanttRow& row) {
  Lanes lanes;
  std::vector<Seconds> ends;
  for (const Bar& bar : row.bars) {
    const auto free = std::find_if(ends.begin(), ends.end(), [&](Seconds end) { return end <= bar.start; });
    lanes.of_bar.push_back(static_cast<size_t>(free - ends.begin()));
    if (free == ends.end()) ends.emplace_back();
    ends[lanes.of_bar.back()] = bar.end;
  }
  lanes.count = std::max<size_t>(1, ends.size());
  return lanes;
}

constexpr double kGanttWidth = 900, kNameWidth = 170, kEdge = 20, kHead = 40, kRow = 26, kBetween = 6, kTicks = 30;

// Neighbouring numbers get colours far apart: the golden angle.
int hue_of(int number) { return static_cast<int>(static_cast<int64_t>(number) * 1375077 / 10000 % 360); }

void draw_row(std::string& text, const GanttRow& row, double top, double scale) {
  auto out          = std::back_inserter(text);
  const Lanes lanes = lanes_of(row);
  const double lane = kRow / static_cast<double>(lanes.count);
  fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kEdge + kNameWidth - 8,
                 top + kRow / 2 + 4, escape::markup(row.name));
  fmt::format_to(out, "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#f3f5f7\"/>\n",
                 kEdge + kNameWidth, top, kGanttWidth, kRow);
  for (size_t i = 0; i < row.bars.size(); ++i) {
    const Bar& bar = row.bars[i];
    fmt::format_to(out,
                   "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"hsl({},55%,60%)\" "
                   "stroke=\"#fff\" stroke-width=\"0.5\"><title>{}</title></rect>\n",
                   kEdge + kNameWidth + bar.start.value() * scale, top + lane * static_cast<double>(lanes.of_bar[i]),
                   (bar.end - bar.start).value() * scale, lane, hue_of(bar.number), escape::markup(bar.title));
  }
}

}  // namespace

std::string draw_text(const std::vector<GanttRow>& rows, Seconds end, size_t columns) {
  size_t width = 0;
  std::vector<std::string> names;
  for (const GanttRow& row : rows) {
    names.push_back(escape::terminal(row.name));
    width = std::max(width, names.back().size());
  }
  std::string text;
  for (size_t i = 0; i < rows.size(); ++i) {
    text += fmt::format("{:<{}} |", names[i], width);
    for (size_t column = 0; column < columns; ++column)
      text += letter_at(rows[i], (static_cast<double>(column) + 0.5) / static_cast<double>(columns) * end);
    text += "|\n";
  }
  return text;
}

std::string draw_svg(const std::vector<GanttRow>& rows, Seconds end, const std::string& title) {
  const double scale  = end > Seconds(0) ? kGanttWidth / end.value() : 0;
  const double bottom = kHead + static_cast<double>(rows.size()) * (kRow + kBetween);
  const double width = kNameWidth + kGanttWidth + 2 * kEdge, height = bottom + kTicks;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"12\" fill=\"#1f2933\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<text x=\"{2:.0f}\" y=\"24\" "
      "font-size=\"15\">{3}</text>\n",
      width, height, kEdge, escape::markup(title));
  for (size_t i = 0; i < rows.size(); ++i)
    draw_row(text, rows[i], kHead + static_cast<double>(i) * (kRow + kBetween), scale);
  constexpr int kMarks = 5;
  for (int mark = 0; mark <= kMarks; ++mark) {
    const double share = static_cast<double>(mark) / kMarks;
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"#66727f\">{}</text>\n",
                        kEdge + kNameWidth + share * kGanttWidth, bottom + 14, format(share * end));
  }
  return text + "</svg>\n";
}

}  // namespace foreflow::report
