#include "cost/nearest_points.h"

#include <algorithm>
#include <cmath>

#include "cost/shape_distance.h"

namespace foreflow::cost {
namespace {

// How many times more or less work a point has, as a logarithm; 0: as much.
double work_distance(const Point& point, const Query& query) {
  const auto apart = [](double a, double b) { return std::abs(std::log((a + 1) / (b + 1))); };  // no flops at all: 0
  return apart(point.flops.value(), query.flops.value()) + apart(point.bytes.value(), query.bytes.value());
}

// A measured point, if any, and how far a query is from it.
struct Neighbour {
  const Point* point = nullptr;
  double work = 0, shape = 0;

  double distance() const { return work + shape; }
};

// Returns the allowed point that is nearest in work, and in shape that counts `shape_weight` times as much; of equally
// near ones the first.
template <class Allowed>
Neighbour nearest(const Family& family, const Query& query, double shape_weight, Allowed is_allowed) {
  Neighbour found;
  for (const Point& point : family.points) {
    if (!is_allowed(point)) continue;
    Neighbour next{&point, work_distance(point, query), 0};
    if (found.point != nullptr && next.distance() >= found.distance()) continue;
    next.shape = shape_weight * shape_distance(point.signature, query.signature);
    if (found.point == nullptr || next.distance() < found.distance()) found = next;
  }
  return found;
}

// The point that is nearest in work, and of about equal ones in shape. Requires: the family has points.
const Point& nearest_point(const Family& family, const Query& query) {
  constexpr double kShape = 0.1;  // the best of 0, 0.1, 0.3 and 1 for what was measured on an H100 and an H200
  return *nearest(family, query, kShape, [](const Point&) { return true; }).point;
}

// Returns the share of the way from `low` to `high` at which the query lies: 0 at the one, 1 at the other. What the
// distances to both have in common of shape says nothing of it: between points that are as unlike, work alone decides.
double share_of_way(const Neighbour& low, const Neighbour& high) {
  const double both = std::min(low.shape, high.shape);
  const double from = low.distance() - both, to = high.distance() - both;
  return from + to > 0 ? from / (from + to) : 0;
}

}  // namespace

std::optional<Seconds> interpolated(const Family& family, const Query& query) {
  constexpr double kShape = 4;  // for the same measurements 4 to 8 are about as good, and 1 to 3 worse
  const Seconds x         = family.line.at(query.flops, query.bytes);
  const auto is_timed     = [&](const Point& p) { return on_line(family, p) > Seconds(0) && p.time > Seconds(0); };
  const Neighbour low =
      nearest(family, query, kShape, [&](const Point& p) { return is_timed(p) && on_line(family, p) <= x; });
  const Neighbour high =
      nearest(family, query, kShape, [&](const Point& p) { return is_timed(p) && on_line(family, p) >= x; });
  if (low.point == nullptr || high.point == nullptr) return std::nullopt;
  const auto factor  = [&](const Neighbour& side) { return std::log(side.point->time / on_line(family, *side.point)); };
  const double share = share_of_way(low, high);
  const Seconds time = x * std::exp((1 - share) * factor(low) + share * factor(high));
  const auto [shorter, longer] = std::minmax(low.point->time, high.point->time);
  return std::clamp(time, shorter, longer);
}

Seconds time_beyond(const Family& family, const Query& query) {
  const Seconds own = family.line.at(query.flops, query.bytes);
  if (family.points.empty()) return own;
  const Point& nearest = nearest_point(family, query);
  const Seconds line   = on_line(family, nearest);
  return line > Seconds(0) && nearest.time > Seconds(0) ? own / line * nearest.time : own;
}

Seconds least_time(const Family& family, const Query& query) {
  Seconds longest;
  if (family.points.empty()) return longest;
  const Point& nearest = nearest_point(family, query);
  for (const Point& point : family.points) {
    if (!has_no_more_work(point, query)) continue;
    if (!have_same_attributes(point.signature, query.signature)) continue;
    longest = std::max(longest, has_no_more_work(point, nearest) ? std::min(point.time, nearest.time) : point.time);
  }
  return longest;
}

}  // namespace foreflow::cost
