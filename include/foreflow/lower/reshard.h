// A resharding plan as a stream::Program, which every engine simulates.
#pragma once

#include <vector>

#include "foreflow/reshard/plan.h"
#include "foreflow/stream/program.h"

namespace foreflow::lower {

struct LoweredPlan {
  stream::Program program;
  std::vector<int32_t> instances;  // by job: index into Program::instances
};

// A stream for each device of the moves, in ascending order; the device is an index into platform::Platform::devices(),
// as in ports_of(), and D5 is the sixth device of the platform, which is counted from 0. `waits` become sends of fixed
// duration 0 between two devices.
LoweredPlan program_of(const reshard::UnitTasks& units, const reshard::Plan& plan);

}  // namespace foreflow::lower
