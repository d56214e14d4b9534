// SimGrid as the clock of a simulation: a conductor is a model of its kernel, beside its own models of hosts and links.
#pragma once

#include "simulate/conductor.h"

namespace foreflow::simulate {

// Runs the conductor until nothing more happens. Once in a process: SimGrid allows one engine.
void run_in_kernel(Conductor& conductor);

}  // namespace foreflow::simulate
