// A resharding plan as events of streams, and as a stream::Program that every engine simulates.
#pragma once

#include <vector>

#include "foreflow/reshard/plan.h"
#include "foreflow/stream/program.h"

namespace foreflow::lower {

// A communication among devices, which all of them execute in the order of the list.
struct PlanEvent {
  stream::Communication what;
  std::vector<int> devices;  // in rank order
  int job;                   // index into Plan::jobs; -1: only a wait, a send of fixed duration 0 between two devices
};
std::vector<PlanEvent> events_of(const reshard::Plan& plan);

struct LoweredPlan {
  stream::Program program;
  std::vector<int32_t> instances;  // by job: index into Program::instances
};

// A stream for each device of the moves, in ascending order; the device is an index into platform::Platform::devices(),
// as in ports_of(), and D5 is the sixth device of the platform, which is counted from 0.
LoweredPlan program_of(const reshard::UnitTasks& units, const reshard::Plan& plan);

}  // namespace foreflow::lower
