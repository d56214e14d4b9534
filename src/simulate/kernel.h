// SimGrid as the clock of a simulation: a conductor is a model of its kernel, beside its own models of hosts and links.
#pragma once

#include "simulate/conductor.h"

namespace foreflow::simulate {

// Runs the score to its end. Once in a process: SimGrid allows one engine.
Performance perform(const Score& score, const Network& network, const Surroundings& surroundings);

}  // namespace foreflow::simulate
