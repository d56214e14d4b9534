// The data sheets of nodes and their hosts.
#pragma once

#include <string>
#include <string_view>

#include "foreflow/platform/cpu.h"
#include "foreflow/platform/data_sheet.h"

namespace foreflow::platform {

// The data sheet of a kind of devices. Throws Error when devices() has no such row.
inline const DataSheet& sheet(std::string_view kind) { return devices().get(kind, "a node").sheet; }

// The CPU of this name. Throws Error when cpus() has no such row.
inline Cpu host_cpu(const std::string& name) { return cpu_named(name, "a node"); }

}  // namespace foreflow::platform
