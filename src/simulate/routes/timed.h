// Values that change at times known beforehand.
#pragma once

#include <algorithm>
#include <vector>

namespace foreflow::simulate {

struct Timed {
  double at;  // seconds
  double value;

  bool operator==(const Timed&) const = default;
};

// Ascending in time; each value holds until the next one.
using Course = std::vector<Timed>;

// Nothing where the course is always `before`.
inline Course only_if_changing(Course course, double before) {
  const bool changes = std::any_of(course.begin(), course.end(), [&](const Timed& one) { return one.value != before; });
  return changes ? course : Course{};
}

// The value at `now`; `before` until the first one.
inline double value_of(const Course& course, double now, double before) {
  for (const Timed& one : course) {
    if (one.at > now) break;
    before = one.value;
  }
  return before;
}

}  // namespace foreflow::simulate
