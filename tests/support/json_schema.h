// A validator of JSON Schema for the keywords that Foreflow's own schema uses.
#pragma once

#include <string>

#include "foreflow/base/json.h"

namespace foreflow::test {

// What is wrong with `value`, with its place ("$.strategy.tp: ..."); empty: it is valid. Where no alternative of an
// anyOf is valid, what is wrong with the one that comes furthest. Throws Error at a keyword that it does not know.
std::string violation(const Json& schema, const Json& value);

}  // namespace foreflow::test
