// A test whether the hosts of a program have anything to do.
#pragma once

#include "foreflow/stream/program.h"

namespace foreflow::stream {

// Returns true if anything in the program costs its host time.
bool has_hosts(const Program& program);

}  // namespace foreflow::stream
