// The chain of items that decides the iteration time: shortening anything else changes nothing.
#pragma once

#include <vector>

#include "foreflow/report/summary.h"

namespace foreflow::report {

// In time order; equal items in a row on one stream are one segment. The segments add up to the makespan. Where an item
// waited for its host, the path is that of the host, as one segment "host", back to what the host waited for.
// `contention` is contention_by_instance (report/collectives.h).
std::vector<Segment> critical_path(const stream::Program& program, const stream::Timeline& timeline,
                                   const std::vector<Seconds>& contention);

}  // namespace foreflow::report
