// Reads the placement of a search, before its points are known.
#pragma once

#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/platform/platform.h"

namespace foreflow::scenario {

// Throws Error at a value of the placement of a search, or at one of the lists of values there, that is wrong whatever
// the strategy and the other values are: it is of another kind than its key, names no policy, or has devices that none
// of `platforms` has. Where the placement has no lists, its values are also read together, as `load` does. The order
// may be "any".
void check_placement(const JsonView& placement, const std::vector<const platform::Platform*>& platforms);

}  // namespace foreflow::scenario
