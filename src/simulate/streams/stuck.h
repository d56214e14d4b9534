// Error messages for simulations that cannot proceed.
#pragma once

#include <cstdint>

#include "foreflow/stream/program.h"

namespace foreflow::simulate {

// Throws Error: `stream` waits at `item` for the stream `member`, which never arrives.
[[noreturn]] void refuse_to_wait(const stream::Program& program, size_t stream, size_t item, size_t member);

// Limit of background flows under way at once. If they arrive faster than the network drains them, their number grows
// without bound, and every arrival and departure affects all of them.
constexpr size_t kMostForeign = 2000;

// Throws Error: Disturbances::background[source] exceeded the limit.
[[noreturn]] void refuse_flood(int32_t source);

}  // namespace foreflow::simulate
