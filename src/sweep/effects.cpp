#include <algorithm>
#include <cmath>

#include "foreflow/sweep/sweep.h"

namespace foreflow::sweep {
namespace {

// Nothing: the point is not done.
double throughput(const Point& point) {
  const Json* value = point.answer.find("throughput_samples_per_s");
  if (value == nullptr) return 0;
  return value->if_double() != nullptr ? *value->if_double() : static_cast<double>(*value->if_int());
}

// The highest over the lowest of the line that begins at point `first`; 0 when it has less than two.
double ratio(const Result& result, size_t first, size_t stride, size_t count) {
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) {
    const double value = throughput(result.points[first + i * stride]);
    if (value > 0) values.push_back(value);
  }
  if (values.size() < 2) return 0;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high / *low;
}

}  // namespace

std::vector<Effect> effects(const Result& result) {
  std::vector<Effect> all;
  size_t stride = result.points.size();
  for (size_t a = 0; a < result.axes.size(); ++a) {
    const size_t count = result.axes[a].values.size();
    stride /= count;
    Effect effect{.axis = a};
    double logarithms = 0;
    for (size_t first = 0; first < result.points.size(); ++first) {
      if (result.points[first].choice[a] != 0) continue;
      const double found = ratio(result, first, stride, count);
      if (found == 0) continue;
      ++effect.lines;
      logarithms += std::log(found);
      effect.most = std::max(effect.most, found);
    }
    if (effect.lines > 0) effect.mean = std::exp(logarithms / static_cast<double>(effect.lines));
    all.push_back(effect);
  }
  std::stable_sort(all.begin(), all.end(), [](const Effect& a, const Effect& b) {
    return (a.lines > 0) != (b.lines > 0) ? a.lines > 0 : a.mean > b.mean;
  });
  return all;
}

}  // namespace foreflow::sweep
