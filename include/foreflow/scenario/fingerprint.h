// Digests of scenarios that depend neither on the location of a scenario nor on the order of its members.
#pragma once

#include <string>

#include "foreflow/base/json.h"

namespace foreflow::scenario {

// The value with the members of every object sorted by their keys.
Json sorted(const Json& value);

// The digest of the scenario with its members sorted, and of the bytes of every file that it names. `file` is the path
// of the scenario. Throws Error when a named file cannot be read.
std::string fingerprint(const Json& source, const std::string& file);

}  // namespace foreflow::scenario
