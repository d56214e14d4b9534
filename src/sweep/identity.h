// The names of a sweep and its points in a store, independent of the order of a scenario's members and of its folder.
#pragma once

#include "foreflow/scenario/axes.h"
#include "sweep/store.h"

namespace foreflow::sweep {

// The hash is that of the scenario with its members sorted, and of the bytes of every file that it names. Throws Error
// when one cannot be read.
Identity identity_of(const Json& source, const std::string& file, const std::string& version);

// The point's values by the axes' paths, sorted: {"platform.nodes":2,"strategy.tp":4}.
std::string point_name(const std::vector<scenario::Axis>& axes, const std::vector<size_t>& choice);

}  // namespace foreflow::sweep
