// Cost models from calibration files.
#pragma once

#include <string>

#include "foreflow/cost/cost.h"

namespace foreflow::cost {

// A calibration file holds a scenario's "cost" object and a "source". The members of `overrides` but "model" come on
// top of its own. Throws Error naming the file and the path in it.
CostModel load_model(const std::string& path, const Json& overrides = Json::object());

}  // namespace foreflow::cost
