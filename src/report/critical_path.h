// The chain of items that decides the iteration time: shortening anything else changes nothing.
#pragma once

#include <vector>

#include "foreflow/report/summary.h"

namespace foreflow::report {

// In time order; equal items in a row on one stream are one segment. The segments add up to the makespan.
std::vector<Segment> critical_path(const stream::Program& program, const stream::Timeline& timeline);

}  // namespace foreflow::report
