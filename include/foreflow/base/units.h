// Physical quantities as types: Bytes / BytesPerSecond is Seconds, Bytes + Flops does not compile.
// Every quantity is a double in SI base units (seconds, bytes, flop). Text is parsed and printed at the border only.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace foreflow {

// A double with the dimension seconds^T * bytes^B * flop^F.
template <int T, int B, int F>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : value_(value) {}
  constexpr double value() const { return value_; }
  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) { return value_ += other.value_, *this; }
  constexpr Quantity& operator-=(Quantity other) { return value_ -= other.value_, *this; }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
  friend constexpr Quantity operator*(double a, Quantity b) { return Quantity(a * b.value_); }
  friend constexpr Quantity operator*(Quantity a, double b) { return Quantity(a.value_ * b); }
  friend constexpr Quantity operator/(Quantity a, double b) { return Quantity(a.value_ / b); }

 private:
  double value_ = 0;
};

template <int T1, int B1, int F1, int T2, int B2, int F2>
constexpr auto operator*(Quantity<T1, B1, F1> a, Quantity<T2, B2, F2> b) {
  return Quantity<T1 + T2, B1 + B2, F1 + F2>(a.value() * b.value());
}

// The quotient; a plain double when the dimensions cancel.
template <int T1, int B1, int F1, int T2, int B2, int F2>
constexpr auto operator/(Quantity<T1, B1, F1> a, Quantity<T2, B2, F2> b) {
  if constexpr (T1 == T2 && B1 == B2 && F1 == F2) {
    return a.value() / b.value();
  } else {
    return Quantity<T1 - T2, B1 - B2, F1 - F2>(a.value() / b.value());
  }
}

using Seconds        = Quantity<1, 0, 0>;
using Bytes          = Quantity<0, 1, 0>;
using Flops          = Quantity<0, 0, 1>;
using BytesPerSecond = Quantity<-1, 1, 0>;
using FlopsPerSecond = Quantity<-1, 0, 1>;

// Parse "2us", "64MiB", "25GBps" or "100Gbps" (bits), "312Tf" (flop per second). Number and unit are both required.
// `where` is used in the Error. SI prefixes k M G T P are powers of 1000, Ki Mi Gi Ti powers of 1024.
Seconds parse_seconds(std::string_view text, const std::string& where);
Bytes parse_bytes(std::string_view text, const std::string& where);
BytesPerSecond parse_bandwidth(std::string_view text, const std::string& where);
FlopsPerSecond parse_flops_rate(std::string_view text, const std::string& where);

// For people: three or four significant digits with a fitting unit ("1.234 ms", "21.5 GB", "150 GB/s", "96.9 TFLOP/s").
std::string format(Seconds value);
std::string format(Bytes value);
std::string format(BytesPerSecond value);
std::string format(FlopsPerSecond value);
std::string format(Flops value);

}  // namespace foreflow
