// Lower bounds of the time of a step, composed of its tasks as its schedule plays them and of what follows them.
#pragma once

#include "search/bounds/task_times.h"

namespace foreflow::search {

// The bound of the whole step. `slow`: as TaskTimes, of a replica.
Seconds composed_time(const StagedStep& step, Plays& plays, const std::vector<double>& slow = {});

// The bound without what is exchanged between replicas and done once a step.
Seconds time_of_tasks(const StagedStep& step, Plays& plays);

// The time of a microbatch that passes through all stages, forward and backward, one after the other. Gradients of
// weights are computed beside that. Sums in chunks may be, too.
Seconds passage(const StagedStep& step);

}  // namespace foreflow::search
