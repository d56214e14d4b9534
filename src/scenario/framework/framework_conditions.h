// The facts that a scenario states, for the conditions under which a profile of a framework sets a key.
#pragma once

#include <string_view>

#include "foreflow/base/json.h"

namespace foreflow::scenario {

// The value at `part`.`key`, such as "strategy" and "tp"; null where the scenario states none.
const Json* stated_at(const Json& scenario, std::string_view part, std::string_view key);

}  // namespace foreflow::scenario
