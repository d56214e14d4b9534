// Numbers of data sheets with their units, as parse_bandwidth and parse_seconds would read them: 12.5_GBps, 1.7_us.
#pragma once

#include "foreflow/base/units.h"

namespace foreflow::platform {

constexpr BytesPerSecond operator""_GBps(long double number) {
  return BytesPerSecond(static_cast<double>(number) * 1e9);
}
constexpr BytesPerSecond operator""_GBps(unsigned long long number) {
  return BytesPerSecond(static_cast<double>(number) * 1e9);
}
constexpr Seconds operator""_us(long double number) { return Seconds(static_cast<double>(number) * 1e-6); }
constexpr Seconds operator""_us(unsigned long long number) { return Seconds(static_cast<double>(number) * 1e-6); }
constexpr Seconds operator""_ns(unsigned long long number) { return Seconds(static_cast<double>(number) * 1e-9); }

}  // namespace foreflow::platform
