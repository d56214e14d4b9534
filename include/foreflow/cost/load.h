// Cost models from calibration files.
#pragma once

#include <string>

#include "foreflow/cost/cost.h"

namespace foreflow::cost {

// The model that a scenario's "cost" object, which `parameters` is, names in "model"; roofline if it names none. Where
// "send_overhead" is a table by numbers of devices, that of the largest number that is not above `devices` is taken, or
// 0: the processes of a program share their host.
CostModel make_model(const JsonView& parameters, int devices = 1);

// A calibration file holds a scenario's "cost" object and a "source". The members of `overrides` but "model" come on
// top of its own. Throws Error naming the file and the path in it.
CostModel load_model(const std::string& path, const Json& overrides = Json::object(), int devices = 1);

}  // namespace foreflow::cost
