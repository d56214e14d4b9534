// Several jobs on one platform: each alone, then all together.
#pragma once

#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// Requires: the scenario has jobs. `progress` is called as in run().
Outcome run_jobs(const Scenario& scenario, const PlatformRef& platform, const Finished& finished);

}  // namespace foreflow::scenario
