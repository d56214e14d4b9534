// Writes out all devices of a program in which some represent others (ir/replicas.h).
#pragma once

#include <optional>

#include "foreflow/ir/written_devices.h"
#include "foreflow/stream/compact.h"

namespace foreflow::lower {

// The program of all devices; of_replica of `program` counts them already. Procedures number their devices in stages as
// the root does; nothing if one of them does not.
std::optional<stream::CompactProgram> all_devices(stream::CompactProgram program, const ir::WrittenDevices& written);

}  // namespace foreflow::lower
