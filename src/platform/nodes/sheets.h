// The data sheets of nodes and their hosts.
#pragma once

#include <string>
#include <string_view>

#include "foreflow/platform/cpu.h"
#include "foreflow/platform/data_sheet.h"

namespace foreflow::platform {

// That of a row of devices().
inline const DataSheet& sheet(std::string_view kind) { return devices().get(kind, "a node").sheet; }

// That of a row of cpus().
inline Cpu host_cpu(const std::string& name) { return cpu_named(name, "a node"); }

}  // namespace foreflow::platform
