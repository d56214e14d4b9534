// SimGrid as the clock of a simulation, whose events are timers of SimGrid's kernel.
#pragma once

#include "simulate/engines/network_simulation.h"

namespace foreflow::simulate {

// Runs the simulation until no event is left, in an engine of SimGrid that lives as long as the call: SimGrid allows
// one at a time in a process.
void run_in_kernel(NetworkSimulation& simulation);

}  // namespace foreflow::simulate
