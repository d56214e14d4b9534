// Memory available to this process, so that oversized requests are refused before the kernel kills the process.
#pragma once

#include <functional>
#include <string>

#include "foreflow/base/error.h"
#include "foreflow/base/units.h"

namespace foreflow {

// The minimum of the machine's free memory, the limit of the control group, and RLIMIT_AS (Linux). Infinite when none
// of them can be read.
Bytes available_memory();

// Something does not fit into the memory of this process. The message begins with "memory: ".
class MemoryError : public Error {
 public:
  explicit MemoryError(const std::string& what) : Error("memory", what) {}
};

// Throws MemoryError when `size` is more than is available. `name` names the thing in the message: "a tensor
// Float32 (4, 8)". Small sizes are not checked, because the check takes as long as filling a megabyte.
void check_memory(Bytes size, const std::function<std::string()>& name);

// Gives memory that this process has freed back to the system, where its allocator keeps it. Costs milliseconds, and
// again as much when the process needs the memory.
void release_free_memory();

}  // namespace foreflow
