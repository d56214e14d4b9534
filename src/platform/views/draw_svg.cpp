#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "foreflow/base/escape.h"
#include "foreflow/base/nth.h"
#include "foreflow/platform/draw.h"
#include "platform/views/sketch.h"

namespace foreflow::platform {
namespace {

constexpr double kSlot = 66, kGap = 26, kWidth = 58, kHeight = 24, kRow = 96, kMargin = 30, kLegendLine = 20;
constexpr double kHighestArc = 150;  // its control point; the arc reaches half of it

struct BoxCentre {
  double x, y;  // the middle of the item's box
};

// The preferred position of an item: the mean position of its neighbours in rows nearer to the devices.
double wish(const Sketch& sketch, const std::vector<std::vector<int>>& joined, const std::vector<BoxCentre>& places,
            int at) {
  double sum    = 0;
  int count     = 0;
  const int row = std::abs(nth(sketch.items, at).row);
  for (const int other : nth(joined, at)) {
    if (std::abs(nth(sketch.items, other).row) >= row) continue;
    sum += nth(places, other).x;
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

// Devices side by side, servers with a gap between them; then row after row, as near to the wishes as slots allow.
std::vector<BoxCentre> lay_out(const Sketch& sketch) {
  std::vector<BoxCentre> places(sketch.items.size());
  std::vector<std::vector<int>> joined(sketch.items.size());
  for (const Line& line : sketch.lines) {
    nth(joined, line.a).push_back(line.b);
    nth(joined, line.b).push_back(line.a);
  }
  std::map<std::pair<int, int>, std::vector<int>> rows;  // by distance from the devices, then above or below
  double x                = kMargin + kSlot / 2;
  const std::string* node = nullptr;
  for (size_t i = 0; i < sketch.items.size(); ++i) {
    const Item& item = sketch.items[i];
    if (!item.device) {
      rows[{std::abs(item.row), item.row}].push_back(static_cast<int>(i));
      continue;
    }
    if (node != nullptr && *node != item.node) x += kGap;
    node      = &item.node;
    places[i] = {x, 0};
    x += kSlot;
  }
  const double shared_row = std::max(kRow, x / 16);  // wide pictures need steep lines
  int server_rows         = 0;
  for (const Item& item : sketch.items) server_rows = std::max(server_rows, item.node.empty() ? 0 : item.row);
  for (auto& [key, items] : rows) {
    std::vector<std::pair<double, int>> order;
    for (const int item : items) order.emplace_back(wish(sketch, joined, places, item), item);
    std::sort(order.begin(), order.end());
    std::vector<double> placed;
    for (const auto& [wanted, item] : order)
      placed.push_back(placed.empty() ? wanted : std::max(wanted, placed.back() + kSlot));
    const double height = kRow * std::min(key.second, server_rows) + shared_row * std::max(key.second - server_rows, 0);
    double late         = 0;
    for (size_t i = 0; i < order.size(); ++i) late += (placed[i] - order[i].first) / static_cast<double>(order.size());
    for (size_t i = 0; i < order.size(); ++i) nth(places, order[i].second) = {placed[i] - late, -height};
  }
  return places;
}

struct Page {
  std::vector<BoxCentre> places;
  double width, height;
};

// Everything moved into a page; `head` is the height of what stands above.
Page fit(std::vector<BoxCentre> places, double head) {
  double left = places.front().x, top = places.front().y, right = left, bottom = top;
  for (const BoxCentre& place : places) {
    left   = std::min(left, place.x);
    right  = std::max(right, place.x);
    top    = std::min(top, place.y);
    bottom = std::max(bottom, place.y);
  }
  const double dx = kMargin + kSlot / 2 - left, dy = head + kMargin + kHeight - top;
  for (BoxCentre& place : places) place = {place.x + dx, place.y + dy};
  return {std::move(places), std::max(right + dx + kMargin + kSlot / 2, 480.0), bottom + dy + kMargin + kHeight};
}

// Straight between rows; items of one row are joined by an arc above it, devices by one below.
std::string path(const Sketch& sketch, const Line& line, const std::vector<BoxCentre>& places) {
  const BoxCentre a = nth(places, line.a), b = nth(places, line.b);
  const std::string from = fmt::format("M{:.1f},{:.1f}", a.x, a.y);
  if (a.y != b.y) return fmt::format("{} L{:.1f},{:.1f}", from, b.x, b.y);
  const double side = nth(sketch.items, line.a).row > 0 ? -1 : 1;
  const double bow  = std::min(30 + std::abs(a.x - b.x) / 5, kHighestArc);
  return fmt::format("{} Q{:.1f},{:.1f} {:.1f},{:.1f}", from, (a.x + b.x) / 2, a.y + side * bow, b.x, b.y);
}

std::string boxes(const Sketch& sketch, const std::vector<BoxCentre>& places) {
  struct Box {
    double left = 1e300, top = 1e300, right = -1e300, bottom = -1e300;
  };
  std::map<std::string, Box> servers;
  for (size_t i = 0; i < places.size(); ++i) {
    if (sketch.items[i].node.empty()) continue;
    Box& box = servers[sketch.items[i].node];
    box      = {std::min(box.left, places[i].x), std::min(box.top, places[i].y), std::max(box.right, places[i].x),
                std::max(box.bottom, places[i].y)};
  }
  std::string svg;
  for (const auto& [node, box] : servers) {
    const double left = box.left - kSlot / 2 - 4, top = box.top - kHeight - 8;
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"6\" fill=\"#f7f7f7\" "
        "stroke=\"#bbbbbb\"/>\n<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"11\" fill=\"#666666\">{}</text>\n",
        left, top, box.right - box.left + kSlot + 8, box.bottom - box.top + 2 * kHeight + 16, left + 6, top + 13,
        escape::markup(node));
  }
  return svg;
}

std::string item_box(const Item& item, const BoxCentre& place) {
  const std::string label(short_name(item));
  const double size = std::min(11.0, 1.7 * kWidth / static_cast<double>(std::max<size_t>(label.size(), 1)));
  return fmt::format(
      "<g><title>{}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" rx=\"{}\" fill=\"{}\" "
      "stroke=\"#333333\"/><text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\" text-anchor=\"middle\">{}</text></g>\n",
      escape::markup(item.name), place.x - kWidth / 2, place.y - kHeight / 2, kWidth, kHeight, item.device ? 2 : 12,
      item.device ? "#e8f4d4" : "#ffffff", place.x, place.y + size / 3, size, escape::markup(label));
}

using Legend = std::map<std::tuple<std::string, std::string>, int>;  // kind, what it is -> lines

}  // namespace

std::string draw_svg(const Platform& platform) {
  const Sketch sketch = platform::sketch(platform);
  Legend legend;
  for (const Line& line : sketch.lines) ++legend[{line.kind, line.about}];
  const bool arcs   = std::any_of(sketch.lines.begin(), sketch.lines.end(), [&](const Line& line) {
    const int row = nth(sketch.items, line.a).row;
    return row > 0 && row == nth(sketch.items, line.b).row;
  });
  const double head = 30 + kLegendLine * static_cast<double>(legend.size()) + (arcs ? kHighestArc / 2 : 0);
  const Page page   = fit(lay_out(sketch), head);

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
      "<text x=\"{2}\" y=\"24\" font-size=\"16\">{3}</text>\n",
      page.width, page.height, kMargin, escape::markup(platform.name()));
  double y = 24;
  for (const auto& [row, count] : legend) {
    const auto& [kind, about] = row;
    y += kLegendLine;
    svg += fmt::format(
        "<line x1=\"{0}\" y1=\"{1}\" x2=\"{2}\" y2=\"{1}\" stroke=\"{3}\" stroke-width=\"3\"/><text x=\"{4}\" "
        "y=\"{5}\" font-size=\"12\">{6} x {7}: {8}</text>\n",
        kMargin, y - 4, kMargin + 24, colour(kind), kMargin + 32, y, count,
        kind.empty() ? "link" : escape::markup(kind), escape::markup(about));
  }
  svg += boxes(sketch, page.places);
  for (const Line& line : sketch.lines) {
    svg += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.1f}\"><title>{} -- {}: {} {}</title></path>\n",
        path(sketch, line, page.places), colour(line.kind), stroke_width(line.bandwidth),
        escape::markup(nth(sketch.items, line.a).name), escape::markup(nth(sketch.items, line.b).name),
        escape::markup(line.kind), escape::markup(line.about));
  }
  for (size_t i = 0; i < page.places.size(); ++i) svg += item_box(sketch.items[i], page.places[i]);
  return svg + "</svg>\n";
}

}  // namespace foreflow::platform
