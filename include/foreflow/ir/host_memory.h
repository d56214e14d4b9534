// The memory of a server's CPUs as a place of values. `Send(%x, 1.host)` copies a value of device 1 there, over the
// links between the device and its host, and `Send(%h, 1.from_host)` copies it back.
#pragma once

#include <string_view>

#include "foreflow/ir/type.h"

namespace foreflow::ir {

// Of these names of streams the first is a place and does nothing; the others do the copies, one in each direction.
inline constexpr std::string_view kHostMemory = "host", kToHost = "to_host", kFromHost = "from_host";

inline bool in_host_memory(const Device& device) { return device.stream_name() == kHostMemory; }

}  // namespace foreflow::ir
