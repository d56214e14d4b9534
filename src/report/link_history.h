// Evaluates an observed run for each link: its utilization over time, and the communications that shared it.
#pragma once

#include "foreflow/report/summary.h"

namespace foreflow::report {

// Fills `usage` and `shared` of the links of `summary`, which has their names in the platform's order.
void add_history(Summary& summary, const stream::Program& program, const stream::Timeline& timeline,
                 const platform::Platform& platform);

}  // namespace foreflow::report
