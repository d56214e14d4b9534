// Words for values and states.
#pragma once

#include "foreflow/sweep/sweep.h"

namespace foreflow::sweep {

// "done", "failed", "crashed".
const char* name(Status status);

// A string without its quotes; anything else as JSON on one line.
std::string word(const Json& value);

}  // namespace foreflow::sweep
