// The lock between forks and other threads of this process.
#pragma once

#include <mutex>

namespace foreflow {

// Held by the thread that forks, and by every other thread while it allocates memory or prints. A child has only the
// thread that forked: a lock of the allocator or of a stream that another thread held would never be released in it.
// Global, as all forks and threads of the process share it.
std::mutex& fork_mutex();

}  // namespace foreflow
