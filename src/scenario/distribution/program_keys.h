// The keys under which SharedPrograms keeps the programs of a replica.
#pragma once

#include <string>

#include "foreflow/ir/written_devices.h"
#include "foreflow/scenario/scenario.h"

namespace foreflow::scenario {

// False if a program depends on more than the keys of the strategy: on memory limits that were found by simulation.
bool has_program_keys(const Strategy& strategy);

// The key of one replica before it is cut into stages, with all its devices or as `written` says.
std::string unpipelined_key(const Strategy& strategy, const ir::WrittenDevices& written);

// The key of one replica that is cut into stages, where ZeRO may move the cuts, and runs `run` of the microbatches (0:
// all).
std::string pipelined_key(const Strategy& strategy, const Placement& placement, int run,
                          const ir::WrittenDevices& written);

}  // namespace foreflow::scenario
