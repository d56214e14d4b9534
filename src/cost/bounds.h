// Quantities of cost models, within bounds that keep every time that is computed from them a finite number.
#pragma once

#include "foreflow/base/json.h"

namespace foreflow::cost {

// A rate divides: above 0, and not so small that a time overflows. Throws Error at `json` naming an example.
FlopsPerSecond positive_flops_rate(const JsonView& json);
BytesPerSecond positive_bandwidth(const JsonView& json);

// A time of at most 10^12 s, 30,000 years; one that was measured is above 0.
Seconds bounded_time(const JsonView& json);
Seconds positive_time(const JsonView& json);

}  // namespace foreflow::cost
