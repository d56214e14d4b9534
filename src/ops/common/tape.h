// Reverse-mode differentiation of scalar code: kernels that are templates over their number run on Recorded numbers and
// are then walked backwards (Griewank and Walther, Evaluating Derivatives, 2008, chapter 3).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foreflow/base/nth.h"

namespace foreflow::ops {

class Tape;

// A number and its index on a tape; a constant if it has no tape.
struct Recorded {
  double value  = 0;
  int32_t place = -1;
  Tape* tape    = nullptr;

  Recorded() = default;
  Recorded(double constant) : value(constant) {}  // numbers in formulas are constants
  Recorded(double number, int32_t at, Tape& on) : value(number), place(at), tape(&on) {}
};

class Tape {
 public:
  Recorded variable(double value) { return finish(value); }

  // Records one step: a new number, with its derivatives by the numbers that it was computed from.
  void depend(const Recorded& on, double slope) {
    if (on.tape != nullptr) edges_.push_back({on.place, slope});
  }
  Recorded finish(double value) {
    ends_.push_back(edges_.size());
    return {value, static_cast<int32_t>(ends_.size() - 1), *this};
  }

  // d(sum of seeds[i] * outputs[i]) / d(every number on the tape), by place.
  std::vector<double> backward(std::span<const Recorded> outputs, std::span<const double> seeds) const {
    std::vector<double> slopes(ends_.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].tape != nullptr) nth(slopes, outputs[i].place) += seeds[i];
    }
    for (size_t at = ends_.size(); at-- > 0;) {
      for (size_t e = at == 0 ? 0 : ends_[at - 1]; e < ends_[at]; ++e) {
        nth(slopes, edges_[e].source) += slopes[at] * edges_[e].slope;
      }
    }
    return slopes;
  }

 private:
  struct Edge {
    int32_t source;
    double slope;
  };
  std::vector<Edge> edges_;
  std::vector<size_t> ends_;  // of the edges of each number
};

inline Recorded combined(const Recorded& a, const Recorded& b, double value, double by_a, double by_b) {
  Tape* tape = a.tape != nullptr ? a.tape : b.tape;
  if (tape == nullptr) return value;
  tape->depend(a, by_a);
  tape->depend(b, by_b);
  return tape->finish(value);
}

inline Recorded operator+(const Recorded& a, const Recorded& b) { return combined(a, b, a.value + b.value, 1, 1); }
inline Recorded operator-(const Recorded& a, const Recorded& b) { return combined(a, b, a.value - b.value, 1, -1); }
inline Recorded operator*(const Recorded& a, const Recorded& b) {
  return combined(a, b, a.value * b.value, b.value, a.value);
}

// f(x) where f and its slope there are known.
inline double with_slope(double, double value, double) { return value; }
inline Recorded with_slope(const Recorded& x, double value, double slope) {
  return combined(x, Recorded(), value, slope, 0);
}

inline double value_of(double x) { return x; }
inline double value_of(const Recorded& x) { return x.value; }

// sum of a[i] * b[i] in one step.
inline double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
inline Recorded dot(std::span<const Recorded> a, std::span<const Recorded> b) {
  Tape* tape = nullptr;
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    sum += a[i].value * b[i].value;
    if (tape == nullptr) tape = a[i].tape != nullptr ? a[i].tape : b[i].tape;
  }
  if (tape == nullptr) return sum;
  for (size_t i = 0; i < a.size(); ++i) {
    tape->depend(a[i], b[i].value);
    tape->depend(b[i], a[i].value);
  }
  return tape->finish(sum);
}

}  // namespace foreflow::ops
