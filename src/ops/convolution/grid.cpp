#include "ops/convolution/grid.h"

#include <algorithm>
#include <cmath>

#include "ops/common/kernel.h"

namespace foreflow::ops {

namespace {

enum class Padding : uint8_t { zeros, border, reflection };

// One axis of the picture: [low, high] is the range of places that are inside.
struct Axis {
  double size, low, high;
};

Padding padding_of(const OpCall& call) {
  const std::string mode = call.attributes.string_or("padding_mode", "zeros");
  if (mode == "border") return Padding::border;
  if (mode == "reflection") return Padding::reflection;
  if (mode != "zeros") call.fail("padding_mode is \"" + mode + "\"; zeros, border or reflection would be right");
  return Padding::zeros;
}

// A place brought inside, and how fast it moves with the one outside.
struct Folded {
  double at, slope;
};

// Turned back at the borders as often as needed.
Folded reflected(double at, const Axis& axis) {
  const double range = axis.high - axis.low;
  if (range <= 0) return {axis.low, 0};
  const bool below    = at < axis.low;
  const double beyond = below ? axis.low - at : at - axis.high;
  const double turns = std::floor(beyond / range), rest = beyond - turns * range;
  const bool from_low = below == (std::fmod(turns, 2) == 0);
  return {from_low ? axis.low + rest : axis.high - rest, below == from_low ? -1.0 : 1.0};
}

Folded folded(double at, const Axis& axis, Padding padding) {
  if (at >= axis.low && at <= axis.high) return {at, 1};
  if (padding == Padding::border) return {std::clamp(at, 0.0, axis.size - 1), 0};
  return padding == Padding::reflection ? reflected(at, axis) : Folded{at, 1};
}

// The elements along one axis around a place, before they are folded, and how their weights change with it.
struct Line {
  std::vector<double> elements, weights, slopes;
};

Line line_at(const OpCall& call, const Folded& place) {
  const std::string mode = call.attributes.string_or("mode", "bilinear");
  const double at = place.at, floor = std::floor(at);
  if (mode == "nearest") return {{at}, {1}, {0}};
  if (mode == "bilinear" || mode == "linear")
    return {{floor, floor + 1}, {1 - (at - floor), at - floor}, {-place.slope, place.slope}};
  if (mode != "bicubic" && mode != "cubic")
    call.fail("mode is \"" + mode + "\"; bilinear, nearest or bicubic would be right");
  Line line;
  for (int i = -1; i <= 2; ++i) {
    line.elements.push_back(floor + i);
    line.weights.push_back(cubic_weight(floor + i - at, -0.75));
    line.slopes.push_back(-place.slope * cubic_slope(floor + i - at, -0.75));
  }
  return line;
}

}  // namespace

Type infer_grid(const OpCall& call) {
  const Type x = tensor_operand(call, 0), grid = tensor_operand(call, 1);
  if (!has_rank(x) || !has_rank(grid)) return without_dims(x);
  const auto differ = [](int64_t a, int64_t b) { return a != Dims::kUnknown && b != Dims::kUnknown && a != b; };
  const size_t axes = x.dims.size() - 2;
  if ((axes != 2 && axes != 3) || grid.dims.size() != x.dims.size() ||
      differ(grid.dims.back(), static_cast<int64_t>(axes)) || differ(x.dims[0], grid.dims[0]))
    call.fail("x is " + to_string(x.dims) + " and the grid " + to_string(grid.dims) +
              "; (N, C, H, W) and (N, H', W', 2), or (N, C, D, H, W) and (N, D', H', W', 3) would be right");
  Dims dims{x.dims[0], x.dims[1]};
  for (size_t i = 1; i <= axes; ++i) dims.push_back(grid.dims[i]);
  return with_dims(x, dims);
}

size_t grid_places(const Dims& dims) {
  size_t count = 1;
  for (size_t i = 2; i < dims.size(); ++i) count *= static_cast<size_t>(dims[i]);
  return count;
}

std::array<std::string, 3> grid_letters(const OpCall& call) {
  const size_t axes        = tensor_operand(call, 0).dims.size() - 2;
  const std::string places = std::string("ijk").substr(0, axes);
  return {"nc" + std::string(axes, '.'), "n" + places + ".", "nc" + places};
}

double grid_flops(const OpCall& call) {
  const bool cubic = call.attributes.string_or("mode", "bilinear").ends_with("cubic");
  const auto axes  = static_cast<double>(std::max<size_t>(tensor_operand(call, 0).dims.size(), 4) - 2);
  return 2 * std::pow(cubic ? 4 : 2, axes);
}

namespace {

// The taps of a place with these lines along the axes, the outermost first.
std::vector<GridTap> taps_of(const std::vector<Line>& lines, const std::vector<Axis>& axes, Padding padding) {
  std::vector<GridTap> taps{{0, 1, {1, 1, 1}}};
  for (size_t a = 0; a < axes.size(); ++a) {
    const size_t coordinate = axes.size() - 1 - a;
    std::vector<GridTap> next;
    for (const GridTap& tap : taps) {
      for (size_t i = 0; i < lines[a].elements.size(); ++i) {
        const double at = folded(lines[a].elements[i], axes[a], padding).at;
        if (at < 0 || at >= axes[a].size) continue;
        GridTap& made = next.emplace_back(tap);
        made.element  = tap.element * static_cast<size_t>(axes[a].size) + static_cast<size_t>(at);
        made.weight *= lines[a].weights[i];
        for (size_t c = 0; c < made.slopes.size(); ++c)
          made.slopes[c] *= c == coordinate ? lines[a].slopes[i] : lines[a].weights[i];
      }
    }
    taps = std::move(next);
  }
  return taps;
}

}  // namespace

std::vector<std::vector<GridTap>> grid_taps(const OpCall& call, const Dims& x, const Array& grid) {
  const auto places     = values_of<double>(grid);
  const bool corners    = call.attributes.int_or("align_corners", 0) != 0;
  const bool nearest    = call.attributes.string_or("mode", "bilinear") == "nearest";
  const Padding padding = padding_of(call);
  std::vector<Axis> axes;
  for (size_t i = 2; i < x.size(); ++i) {
    const auto length = static_cast<double>(x[i]);
    axes.push_back(corners ? Axis{length, 0, length - 1} : Axis{length, -0.5, length - 0.5});
  }
  const auto place_on = [&](double normal, const Axis& axis) {
    const double scale = (corners ? axis.size - 1 : axis.size) / 2;
    const double at    = (normal + 1) * scale - (corners ? 0 : 0.5);
    const Folded place = folded(nearest ? std::nearbyint(at) : at, axis, padding);
    return Folded{place.at, place.slope * scale};
  };
  std::vector<std::vector<GridTap>> all;
  for (size_t i = 0; i < places.size(); i += axes.size()) {
    std::vector<Line> lines;
    for (size_t a = 0; a < axes.size(); ++a)
      lines.push_back(line_at(call, place_on(places[i + axes.size() - 1 - a], axes[a])));
    all.push_back(taps_of(lines, axes, padding));
  }
  return all;
}

}  // namespace foreflow::ops
