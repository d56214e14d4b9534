// How much memory this process can still get, so that what is too large is refused before the kernel kills us for it.
#pragma once

#include <string>

#include "foreflow/base/units.h"

namespace foreflow {

// The least of what the machine has left, what the control group allows and what RLIMIT_AS allows (Linux). Infinite
// where none of them can be read.
Bytes available_memory();

// Throws Error("memory", ...) when `size` is more than is available. `what` names the thing in the message: "Float32
// (4, 8)". Small sizes are not looked at: to ask costs as much as to fill a megabyte.
void check_memory(Bytes size, const std::string& what);

}  // namespace foreflow
