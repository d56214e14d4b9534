// The message about a program that cannot go on.
#pragma once

#include "foreflow/stream/program.h"

namespace foreflow::simulate {

// Throws Error: `stream` waits at its item for the stream `member`, which does not come.
[[noreturn]] void refuse_to_wait(const stream::Program& program, size_t stream, size_t item, size_t member);

}  // namespace foreflow::simulate
