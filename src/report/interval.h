// How far a measured iteration may be from its prediction.
#pragma once

#include "foreflow/report/summary.h"

namespace foreflow::report {

// Requires everything of the summary but its interval.
Interval interval_of(const Summary& summary);

}  // namespace foreflow::report
