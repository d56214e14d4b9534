#include "cost/bounds.h"

#include <fmt/core.h>

namespace foreflow::cost {
namespace {

constexpr double kLeastRate = 1e-12;  // per second
constexpr Seconds kLongest{1e12};

template <class Rate>
Rate positive(const JsonView& json, Rate rate, const char* example) {
  if (rate.value() >= kLeastRate) return rate;
  json.fail(fmt::format("\"{}\" is no speed that can be divided by; write one above 0 such as \"{}\"", json.as_string(),
                        example));
}

}  // namespace

FlopsPerSecond positive_flops_rate(const JsonView& json) { return positive(json, json.as_flops_rate(), "312Tf"); }
BytesPerSecond positive_bandwidth(const JsonView& json) { return positive(json, json.as_bandwidth(), "25GBps"); }

Seconds bounded_time(const JsonView& json) {
  const Seconds time = json.as_seconds();
  if (time > kLongest) json.fail("\"" + json.as_string() + "\" is too long; write a time up to \"1e12s\"");
  return time;
}

Seconds positive_time(const JsonView& json) {
  const Seconds time = bounded_time(json);
  if (time <= Seconds(0))
    json.fail("\"" + json.as_string() + "\" is no measured time; write one above 0 such as \"12us\"");
  return time;
}

}  // namespace foreflow::cost
