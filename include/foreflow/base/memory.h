// How much memory this process can still get, so that what is too large is refused before the kernel kills us for it.
#pragma once

#include <functional>
#include <string>

#include "foreflow/base/units.h"

namespace foreflow {

// The least of what the machine has left, what the control group allows and what RLIMIT_AS allows (Linux). Infinite
// where none of them can be read.
Bytes available_memory();

// Throws Error("memory", ...) when `size` is more than is available. `name` names the thing in the message: "a tensor
// Float32 (4, 8)". Small sizes are not looked at: to ask costs as much as to fill a megabyte.
void check_memory(Bytes size, const std::function<std::string()>& name);

}  // namespace foreflow
