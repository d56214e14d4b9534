// Values in host memory. `Send(%x, 1.host)` copies a value of device 1 to the memory of its host, over the links
// between the two, and `Send(%h, 1.from_host)` starts copying it back.
#pragma once

#include <string_view>

#include "foreflow/ir/type.h"

namespace foreflow::ir {

// Names of streams. Values on `host` are in host memory; nothing runs there. The other two run the copies to the host
// and from it.
inline constexpr std::string_view kHostMemory = "host", kToHost = "to_host", kFromHost = "from_host";

// The stream of what the host of a device does before the device receives (cost::StagedReceive).
inline constexpr std::string_view kReceiver = "receiver";

inline bool in_host_memory(const Device& device) { return device.stream_name() == kHostMemory; }

}  // namespace foreflow::ir
