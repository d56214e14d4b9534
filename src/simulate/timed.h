// Values that change at times known beforehand.
#pragma once

#include <vector>

namespace foreflow::simulate {

struct Timed {
  double at;  // seconds
  double value;

  bool operator==(const Timed&) const = default;
};

// Ascending in time; each value holds until the next one.
using Course = std::vector<Timed>;

// The value at `now`; `before` until the first one.
inline double value_of(const Course& course, double now, double before) {
  for (const Timed& one : course) {
    if (one.at > now) break;
    before = one.value;
  }
  return before;
}

}  // namespace foreflow::simulate
