// What the programs of a replica are made of, as keys of SharedPrograms.
#pragma once

#include <string>

#include "foreflow/scenario/scenario.h"

namespace foreflow::scenario {

// False where a program depends on more than the keys of the strategy say: on limits of memory that were found by
// simulation.
bool has_program_keys(const Strategy& strategy);

// Of the work of one replica before it is cut into stages, of all shards (0) or of the first two of so many.
std::string unpipelined_key(const Strategy& strategy, int shards);

// Of the work of one replica that is cut into stages, which runs so many of the microbatches (0: all).
std::string pipelined_key(const Strategy& strategy, const Placement& placement, int run, int shards);

}  // namespace foreflow::scenario
