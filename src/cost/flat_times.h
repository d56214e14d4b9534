// Times of work outside of a family whose measurements show no rate (flat_family of foreflow/cost/calibration.h).
#pragma once

#include "foreflow/cost/calibration.h"
#include "foreflow/platform/platform.h"

namespace foreflow::cost {

// The time of a query that launches `kernels` kernels, by the measured work that is nearest to it at the peaks of the
// device.
//   1. If the measured time is that of launches, the query takes as long: smaller work just so, larger work at least.
//   2. If it is that of work, the query takes what the data sheet has for launches, and the rest in proportion to the
//      work.
//
// Example: an addition of 16 numbers took 3 us on an A100, whose memory moves its 192 bytes in 0.1 ns. So one of 8
// numbers takes 3 us. One of 1 GB took 0.7 ms, of which the sheet has 10 us for the launch. So half of it takes 10 us
// and half of 0.69 ms.
Seconds time_beside(const Family& family, const Query& query, int kernels, const platform::Device& device);

}  // namespace foreflow::cost
