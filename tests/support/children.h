// The processes that a process has started.
#pragma once

#include <sys/types.h>

#include <vector>

namespace foreflow::test {

// Those that have not ended (Linux: /proc).
std::vector<pid_t> children_of(pid_t process);

}  // namespace foreflow::test
