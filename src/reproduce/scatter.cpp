#include "foreflow/reproduce/scatter.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "foreflow/base/error.h"
#include "foreflow/base/escape.h"

namespace foreflow::reproduce {
namespace {

constexpr double kSide = 480, kLeft = 64, kTop = 16, kBelow = 48, kLegend = 230;
constexpr double kBand = 1.1;
constexpr std::array kColours{"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd",
                              "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf"};

struct Point {
  double published, ours;
};

std::vector<Point> points_of(const Result& result) {
  std::vector<Point> points;
  for (const Row& row : result.rows) {
    const double *published = row.published.if_double(), *ours = row.ours.if_double();
    if (published != nullptr && ours != nullptr && *published > 0 && *ours > 0) points.push_back({*published, *ours});
  }
  return points;
}

// Whole powers of ten around all values.
class LogAxis {
 public:
  explicit LogAxis(const std::vector<std::vector<Point>>& all) {
    double low = INFINITY, high = 0;
    for (const auto& points : all) {
      for (const Point& point : points) {
        low  = std::min({low, point.published, point.ours});
        high = std::max({high, point.published, point.ours});
      }
    }
    if (high == 0) throw Error("--svg", "there is no row with two numbers to draw");
    first_ = static_cast<int>(std::floor(std::log10(low)));
    last_  = std::max(first_ + 1, static_cast<int>(std::ceil(std::log10(high))));
  }
  int first() const { return first_; }
  int last() const { return last_; }
  double along(double value) const { return kSide * (std::log10(value) - first_) / (last_ - first_); }
  double x(double value) const { return kLeft + along(value); }
  double y(double value) const { return kTop + kSide - along(value); }

 private:
  int first_ = 0, last_ = 1;
};

std::string grid(const LogAxis& axis) {
  std::string text;
  for (int power = axis.first(); power <= axis.last(); ++power) {
    const double value = std::pow(10, power), x = axis.x(value), y = axis.y(value);
    text += fmt::format(
        "<path d=\"M{0:.1f} {1}V{2}M{3} {4:.1f}H{5}\" stroke=\"#ddd\" fill=\"none\"/>\n"
        "<text x=\"{0:.1f}\" y=\"{6}\" text-anchor=\"middle\">{7:g}</text>\n"
        "<text x=\"{8}\" y=\"{9:.1f}\" text-anchor=\"end\">{7:g}</text>\n",
        x, kTop, kTop + kSide, kLeft, y, kLeft + kSide, kTop + kSide + 18, value, kLeft - 6, y + 4);
  }
  return text;
}

// The corners of the band where it is as wide as the picture.
std::string diagonal(const LogAxis& axis) {
  const double low = std::pow(10, axis.first()), high = std::pow(10, axis.last());
  return fmt::format(
      "<clipPath id=\"square\"><rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{2}\"/></clipPath>\n"
      "<g clip-path=\"url(#square)\"><path d=\"M{3:.1f} {4:.1f}L{5:.1f} {6:.1f}L{5:.1f} {7:.1f}L{3:.1f} {8:.1f}Z\" "
      "fill=\"#eef3f8\"/>\n<path d=\"M{3:.1f} {9:.1f}L{5:.1f} {10:.1f}\" stroke=\"#555\"/></g>\n",
      kLeft, kTop, kSide, axis.x(low), axis.y(low * kBand), axis.x(high), axis.y(high * kBand), axis.y(high / kBand),
      axis.y(low / kBand), axis.y(low), axis.y(high));
}

std::string label_of(const ScatterSeries& one, size_t points) {
  const Agreement found = agreement(*one.result);
  return fmt::format("{}: {}, {:.1f} %", one.name, points, 100 * found.mape.value_or(0));
}

}  // namespace

std::string draw_scatter(const std::vector<ScatterSeries>& series) {
  std::vector<std::vector<Point>> all;
  for (const ScatterSeries& one : series) all.push_back(points_of(*one.result));
  const LogAxis axis(all);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      kLeft + kSide + kLegend, kTop + kSide + kBelow);
  text += diagonal(axis) + grid(axis);
  for (size_t i = 0; i < series.size(); ++i) {
    const char* const colour = kColours[i % kColours.size()];
    text += fmt::format("<g fill=\"{}\" fill-opacity=\"0.6\">\n", colour);
    for (const Point& point : all[i])
      text +=
          fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>\n", axis.x(point.published), axis.y(point.ours));
    const double y = kTop + 12 + 20 * static_cast<double>(i);
    text += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"5\"/>\n</g>\n<text x=\"{}\" y=\"{}\">{}</text>\n",
                        kLeft + kSide + 16, y - 4, kLeft + kSide + 26, y,
                        escape::markup(label_of(series[i], all[i].size())));
  }
  text += fmt::format("<text x=\"{0}\" y=\"{1}\" text-anchor=\"middle\">published</text>\n", kLeft + kSide / 2,
                      kTop + kSide + 38);
  text += fmt::format(
      "<text transform=\"translate(16 {0}) rotate(-90)\" text-anchor=\"middle\">predicted</text>\n"
      "<text x=\"{1}\" y=\"{2}\" fill=\"#555\">points, mean error; band: 10 %</text>\n</svg>\n",
      kTop + kSide / 2, kLeft + kSide + 10, kTop + kSide);
  return text;
}

}  // namespace foreflow::reproduce
