// True if the parts of a loop do not meet before the time from which each of them does what it does in a run of all
// rounds: the end of its steady state. Before that, what a part does is at another time.
#pragma once

#include "simulate/rounds/part.h"

namespace foreflow::simulate {

// Looks at communications among several parts, and at flows over links that several parts use.
bool are_apart(const stream::Program& program, const stream::Timeline& timeline, const std::vector<Part>& parts);

}  // namespace foreflow::simulate
