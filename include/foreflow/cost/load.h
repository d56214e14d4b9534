// Cost models from calibration files.
#pragma once

#include <string>

#include "foreflow/cost/cost.h"

namespace foreflow::cost {

// Makes the cost model that `parameters`, a scenario's "cost" object, names in "model"; roofline by default. A
// "send_overhead" may be a table by number of devices, because the processes of a program share their host: the entry
// of the largest number <= `devices` applies, or 0 when there is none.
CostModel make_model(const JsonView& parameters, int devices = 1);

// Loads a calibration file: a scenario's "cost" object with a "source". The members of `overrides`, except "model",
// replace those of the file. Throws Error naming the file and the path in it.
CostModel load_model(const std::string& path, const Json& overrides = Json::object(), int devices = 1);

}  // namespace foreflow::cost
