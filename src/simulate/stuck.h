// The messages about a run that cannot go on.
#pragma once

#include <cstdint>

#include "foreflow/stream/program.h"

namespace foreflow::simulate {

// Throws Error: `stream` waits at its item for the stream `member`, which does not come.
[[noreturn]] void refuse_to_wait(const stream::Program& program, size_t stream, size_t item, size_t member);

// Flows of others that may be under way at once: where they come faster than the network carries them, there is no end
// of them, and each of their comings and goings concerns all.
constexpr size_t kMostForeign = 2000;

// Throws Error: Disturbances::background[source] sent one more.
[[noreturn]] void refuse_flood(int32_t source);

}  // namespace foreflow::simulate
