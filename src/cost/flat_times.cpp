#include "cost/flat_times.h"

#include <algorithm>

namespace foreflow::cost {
namespace {

// No launch takes longer, and hardly a kernel with work for the whole device has less than this share of its peaks.
constexpr Seconds kLongestLaunch{1e-3};
constexpr double kLeastShare = 0.1;

Seconds time_at_peak(Flops flops, Bytes bytes, std::string_view dtype, const platform::Device& device) {
  return std::max(flops / device.peak(dtype), bytes / device.memory_bandwidth);
}

}  // namespace

Seconds time_beside(const Family& family, const Query& query, int kernels, const platform::Device& device) {
  const auto at_peak  = [&](const auto& work) { return time_at_peak(work.flops, work.bytes, family.dtype, device); };
  const Seconds own   = at_peak(query);
  const auto distance = [&](const Point& point) {
    return std::max(own, at_peak(point)) - std::min(own, at_peak(point));
  };
  const Point& nearest   = *std::min_element(family.points.begin(), family.points.end(),
                                             [&](const Point& a, const Point& b) { return distance(a) < distance(b); });
  const Seconds measured = at_peak(nearest);
  const bool is_launch   = nearest.time <= kLongestLaunch && measured < kLeastShare * nearest.time;
  if (is_launch || measured <= Seconds(0)) return nearest.time;
  const Seconds launch = std::min(nearest.time, kernels * device.launch);
  return launch + (own / measured) * (nearest.time - launch);
}

}  // namespace foreflow::cost
