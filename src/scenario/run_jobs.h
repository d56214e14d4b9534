// Several jobs on one platform: each alone, then all together.
#pragma once

#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// The scenario has jobs. Progress is told in the steps of run().
Outcome run_jobs(const Scenario& scenario, const PlatformRef& platform, const Finished& finished);

}  // namespace foreflow::scenario
