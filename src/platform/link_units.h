// Numbers of data sheets with their units, as foreflow/base/units.h would read them: 12.5_GBps, 1.7_us.
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
constexpr BytesPerSecond operator""_TBps(long double number) {
  return BytesPerSecond(static_cast<double>(number) * 1e12);
}
constexpr BytesPerSecond operator""_TBps(unsigned long long number) {
  return BytesPerSecond(static_cast<double>(number) * 1e12);
}
constexpr Bytes operator""_GB(unsigned long long number) { return Bytes(static_cast<double>(number) * 1e9); }
constexpr FlopsPerSecond operator""_Tf(long double number) {
  return FlopsPerSecond(static_cast<double>(number) * 1e12);
}
constexpr FlopsPerSecond operator""_Tf(unsigned long long number) {
  return FlopsPerSecond(static_cast<double>(number) * 1e12);
}
constexpr FlopsPerSecond operator""_Gf(unsigned long long number) {
  return FlopsPerSecond(static_cast<double>(number) * 1e9);
}

}  // namespace foreflow::platform
