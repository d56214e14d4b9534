#include "report/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "foreflow/base/escape.h"
#include "foreflow/base/nth.h"
#include "report/device_names.h"
#include "report/digest.h"
#include "report/rows.h"
#include "report/words.h"

namespace foreflow::report {
namespace {

constexpr double kPictureWidth = 1200;
constexpr double kMargin       = 24;
constexpr double kTop          = 76;  // title and subtitle
constexpr double kAxis         = 34;  // ticks below the rows
constexpr double kLegendLine   = 22;
constexpr double kCharacter    = 0.64;  // average width of a character, in font sizes
constexpr size_t kMostRows     = 64;
constexpr double kOwnBox       = 4;    // blocks at least so wide are boxes with an edge and a tooltip
constexpr double kMostPath     = 400;  // segments of the critical path that can still be followed by eye

constexpr std::string_view kInk = "#1f2933", kSoft = "#66727f", kGrid = "#d5dae1";

double text_width(std::string_view text, double size) { return kCharacter * size * static_cast<double>(text.size()); }

struct RowStyle {
  double height, gap, font;
};

RowStyle row_style(size_t rows) {
  if (rows <= 4) return {44, 10, 13};
  if (rows <= 12) return {32, 8, 13};
  if (rows <= 32) return {20, 5, 12};
  return {12, 3, 10};
}

// Positions and sizes in pixels.
struct Layout {
  double left, width;  // of the plot
  RowStyle row;
  size_t rows;
  double scale;  // pixels per second

  double top(size_t index) const { return kTop + static_cast<double>(index) * (row.height + row.gap); }
  double bottom() const { return top(rows) - row.gap; }
};

struct Label {
  std::string text, full;
};

Label row_label(const stream::Program& program, const Row& row) {
  DeviceNames names;
  for (const size_t s : row.streams) {
    const stream::Stream& stream    = program.streams[s];
    const stream::DeviceUse& device = nth(program.devices, stream.device);
    names.add(stream.name, device.index, numbers(device));
  }
  std::string shorter = names.text(2);
  if (shorter.size() > 26) shorter = names.ends();
  return {shorter, names.text(1000)};
}

Layout lay_out(const std::vector<Label>& labels, Seconds makespan) {
  const RowStyle style = row_style(labels.size());
  double widest        = 30;
  for (const Label& label : labels) widest = std::max(widest, text_width(label.text, style.font));
  const double left  = kMargin + widest + 12;
  const double width = kPictureWidth - kMargin - left;
  return {left, width, style, labels.size(), makespan > Seconds(0) ? width / makespan.value() : 0};
}

class Drawing {
 public:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> form, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), form, std::forward<Arguments>(arguments)...);
    out_ += '\n';
  }
  void text(double x, double y, double size, std::string_view anchor, std::string_view colour, std::string_view text) {
    add(R"(<text x="{:.1f}" y="{:.1f}" font-size="{}" text-anchor="{}" fill="{}">{}</text>)", x, y, size, anchor,
        colour, escape::markup(text));
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

void draw_heading(Drawing& out, const Summary& summary) {
  const std::string_view name = summary.job.name.empty() ? "Timeline" : std::string_view(summary.job.name);
  out.add(R"(<text x="{}" y="36" font-size="20" font-weight="600" fill="{}">{}</text>)", kMargin, kInk,
          escape::markup(name));
  std::string facts = fmt::format("{} {}", what_takes_the_time(summary), format(summary.iteration_time));
  if (summary.samples_per_second > 0) facts += fmt::format("  ·  {} samples/s", number(summary.samples_per_second));
  if (summary.mfu > 0) facts += fmt::format("  ·  MFU {}", percent(summary.mfu));
  facts += fmt::format("  ·  {} device{} on {}", count(summary.device_count), summary.device_count == 1 ? "" : "s",
                       summary.platform);
  out.text(kMargin, 58, 13, "start", kSoft, facts);
}

// Five to twelve ticks at 1, 2 or 5 times a power of ten.
double nice_step(double span) {
  const double rough = span / 10;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power * 1.0001) return factor * power;
  }
  return 10 * power;
}

void draw_axis(Drawing& out, const Layout& layout, Seconds makespan) {
  if (makespan <= Seconds(0)) return;
  struct Unit {
    std::string_view name;
    double seconds;
  };
  static constexpr Unit kUnits[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
  const Unit* unit               = std::find_if(std::begin(kUnits), std::end(kUnits) - 1,
                                                [&](const Unit& u) { return makespan.value() >= u.seconds; });
  const double span              = makespan.value() / unit->seconds;
  const double step              = nice_step(span);
  for (int i = 0; i * step <= span * 1.0001; ++i) {
    const double x = layout.left + std::min(i * step * unit->seconds * layout.scale, layout.width);
    out.add(R"(<line x1="{0:.1f}" y1="{1:.1f}" x2="{0:.1f}" y2="{2:.1f}" stroke="{3}"/>)", x, kTop - 6,
            layout.bottom() + 6, kGrid);
    out.text(x, layout.bottom() + 22, 12, i == 0 ? "start" : "middle", kSoft,
             fmt::format("{:.6g} {}", i * step, unit->name));
  }
}

// The label of a box: the number of the repetition, if the labels of all repetitions fit; the name of an event that
// occurs once.
std::string box_label(const Block& block, double size) {
  const double room = block.right - block.left - 4;
  if (block.name.empty()) return "";
  if (block.repetitions > 1)
    return text_width(std::to_string(block.repetitions - 1), size) <= room ? std::to_string(block.occurrence) : "";
  return text_width(plain_name(block.name), size) <= room ? std::string(plain_name(block.name)) : "";
}

void draw_box(Drawing& out, const Layout& layout, const Block& block, double top) {
  const double width = block.right - block.left;
  const Seconds time(width / layout.scale);
  out.add(R"(<rect x="{:.2f}" y="{:.1f}" width="{:.2f}" height="{:.1f}" rx="2" fill="{}" )"
          R"(stroke="#fff" stroke-width="0.8"><title>{}{}: {}</title></rect>)",
          layout.left + block.left, top, width, layout.row.height, block.family->colour,
          escape::markup(block.name.empty() ? block.family->name : plain_name(block.name)),
          block.repetitions > 1 ? fmt::format(" #{}", block.occurrence) : "", format(time));
  const double size       = std::min(11.0, layout.row.height * 0.62);
  const std::string label = size < 7 ? "" : box_label(block, size);
  if (!label.empty()) {
    out.text(layout.left + (block.left + block.right) / 2, top + layout.row.height / 2 + 0.36 * size, size, "middle",
             kInk, label);
  }
}

// The families that were drawn, in the order in which they came first.
using Families = std::vector<const Family*>;

void note(Families& drawn, const Family& family) {
  const bool known =
      std::any_of(drawn.begin(), drawn.end(), [&](const Family* other) { return other->name == family.name; });
  if (!known) drawn.push_back(&family);
}

void draw_row(Drawing& out, const Layout& layout, const std::vector<Block>& blocks, double top) {
  std::map<std::string_view, std::string> slivers;  // colour -> path
  for (const Block& block : blocks) {
    const double width = block.right - block.left;
    if (width >= kOwnBox) {
      draw_box(out, layout, block, top);
    } else {
      fmt::format_to(std::back_inserter(slivers[block.family->colour]), "M{:.2f} {:.1f}h{:.2f}v{:.1f}h{:.2f}z",
                     layout.left + block.left, top, std::max(width, 0.4), layout.row.height, -std::max(width, 0.4));
    }
  }
  for (const auto& [colour, path] : slivers) out.add(R"(<path fill="{}" d="{}"/>)", colour, path);
}

// A line under the boxes of the critical path that climbs from row to row.
bool draw_critical_path(Drawing& out, const Layout& layout, const Summary& summary, const stream::Program& program,
                        const std::vector<Row>& rows) {
  if (summary.critical_path.empty() || static_cast<double>(summary.critical_path.size()) > kMostPath) return false;
  std::map<std::string_view, size_t> row_of;
  for (size_t r = 0; r < layout.rows; ++r) {
    for (const size_t stream : rows[r].streams) row_of.emplace(program.streams[stream].name, r);
  }
  std::string line;
  Seconds reached;
  for (const Segment& segment : summary.critical_path) {
    const auto row    = row_of.find(segment.device);
    const double from = layout.left + reached.value() * layout.scale;
    reached += segment.seconds;
    if (row == row_of.end()) continue;
    const double y = layout.top(row->second) + layout.row.height - 1.2;
    fmt::format_to(std::back_inserter(line), "{}{:.2f} {:.1f}H{:.2f}", line.empty() ? "M" : "L", from, y,
                   layout.left + reached.value() * layout.scale);
  }
  if (line.empty()) return false;
  out.add(R"(<path d="{}" fill="none" stroke="{}" stroke-width="2" stroke-linejoin="round" opacity="0.85"/>)", line,
          kInk);
  return true;
}

struct Key {
  std::string_view name, swatch;  // the swatch's fill; empty: a line
};

std::vector<Key> legend(const Families& drawn, bool path) {
  std::vector<Key> keys;
  for (const Family* family : drawn) keys.push_back({family->name, family->colour});
  keys.push_back({kIdle.name, "url(#idle)"});
  if (path) keys.push_back({"critical path", ""});
  return keys;
}

// Returns the bottom of what it drew.
double draw_legend(Drawing& out, const std::vector<Key>& keys, double left, double top) {
  double x = left;
  double y = top;
  for (const Key& key : keys) {
    const double width = 20 + text_width(key.name, 12) + 18;
    if (x + width > kPictureWidth - kMargin && x > left) {
      x = left;
      y += kLegendLine;
    }
    if (key.swatch.empty()) {
      out.add(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}" stroke-width="2"/>)", x, y + 6,
              x + 14, y + 6, kInk);
    } else {
      out.add(R"(<rect x="{:.1f}" y="{:.1f}" width="13" height="13" rx="2" fill="{}"/>)", x, y, key.swatch);
    }
    out.text(x + 20, y + 11, 12, "start", kInk, key.name);
    x += width;
  }
  return y + 13;
}

constexpr std::string_view kDefinitions =
    R"svg(<defs><pattern id="idle" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect width="6" height="6" fill="#f3f5f8"/><line x1="0" y1="0" x2="0" y2="6" stroke="#e1e6ec" stroke-width="2"/>
</pattern></defs>)svg";

}  // namespace

std::string draw_timeline(const Summary& summary, const stream::Program& program, const stream::Timeline& timeline,
                          const std::vector<Row>& rows) {
  std::vector<Label> labels;
  for (size_t r = 0; r < std::min(rows.size(), kMostRows); ++r) labels.push_back(row_label(program, rows[r]));
  const Layout layout = lay_out(labels, summary.iteration_time);

  Drawing body;
  draw_heading(body, summary);
  for (size_t r = 0; r < layout.rows; ++r) {
    const double top = layout.top(r);
    body.add(R"svg(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="2" fill="url(#idle)"/>)svg",
             layout.left, top, layout.width, layout.row.height);
    body.add(R"(<text x="{:.1f}" y="{:.1f}" font-size="{}" text-anchor="end" fill="{}"><title>{}</title>{}</text>)",
             layout.left - 10, top + layout.row.height / 2 + 0.36 * layout.row.font, layout.row.font, kInk,
             escape::markup(labels[r].full), escape::markup(labels[r].text));
  }
  draw_axis(body, layout, summary.iteration_time);
  Families drawn;
  for (size_t r = 0; r < layout.rows; ++r) {
    const std::vector<Block> row = blocks(program, timeline, rows[r].streams.front(), layout.scale);
    for (const Block& block : row) note(drawn, *block.family);
    draw_row(body, layout, row, layout.top(r));
  }
  const bool path = draw_critical_path(body, layout, summary, program, rows);
  double bottom   = draw_legend(body, legend(drawn, path), layout.left, layout.bottom() + kAxis + 8);
  if (rows.size() > layout.rows) {
    bottom += 24;
    body.text(layout.left, bottom, 12, "start", kSoft, fmt::format("and {} more rows", rows.size() - layout.rows));
  }
  const double height = bottom + 22;

  Drawing out;
  out.add(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1:.0f}" width="{0}" height="{1:.0f}" )"
          R"(font-family="Inter, 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif">)",
          kPictureWidth, height);
  out.add("{}", kDefinitions);
  out.add(R"(<rect width="{}" height="{:.0f}" rx="8" fill="#ffffff"/>)", kPictureWidth, height);
  return out.take() + body.take() + "</svg>\n";
}

}  // namespace foreflow::report
