// The times that the measured points of a family give to other work: those that are nearest in work and in shape
// decide.
#pragma once

#include <optional>

#include "foreflow/cost/calibration.h"

namespace foreflow::cost {

// The time of a point's work on the line of its family.
inline Seconds on_line(const Family& family, const Point& point) { return family.line.at(point.flops, point.bytes); }

// For points and queries.
template <class A, class B>
bool has_no_more_work(const A& a, const B& b) {
  return a.flops <= b.flops && a.bytes <= b.bytes;
}

// The time between two points: the nearest with no more work than the query, and the nearest with no less. Each gives
// the query its own time in the proportion of the line's times, and counts the more in their geometric mean the nearer
// it is, so that the mean is a point's time beside it. It stays between the two measured times. Nothing without a point
// on either side.
std::optional<Seconds> interpolated(const Family& family, const Query& query);

// The time of the nearest measured work in the proportion of the line's times for both, so that little more or less
// work takes little more or less time.
Seconds time_beyond(const Family& family, const Query& query);

// The longest measured time of no more work than the query's, with the same attributes. Points with no more work than
// the nearest one count no longer than that: where they took longer, work of their shapes does, and not all larger
// work. 0: there is none.
Seconds least_time(const Family& family, const Query& query);

}  // namespace foreflow::cost
