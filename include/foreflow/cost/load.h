// Cost models from calibration files.
#pragma once

#include <string>
#include <string_view>

#include "foreflow/cost/cost.h"

namespace foreflow::cost {

// The cost model of a scenario's "cost" object that names none: calibrated, which prices devices without laws as
// roofline does; or roofline, when it states a parameter that calibrated does not have, such as "memory_efficiency".
std::string_view default_model(const Json& parameters);

// Makes the cost model that `parameters`, a scenario's "cost" object, names in "model"; else default_model(). A
// "send_overhead" may be a table by number of devices, because the processes of a program share their host: the entry
// of the largest number <= `devices` applies, or 0 when there is none.
CostModel make_model(const JsonView& parameters, int devices = 1);

// Loads a calibration file: a scenario's "cost" object with a "source". The members of `overrides`, except "model",
// replace those of the file. Throws Error naming the file and the path in it.
CostModel load_model(const std::string& path, const Json& overrides = Json::object(), int devices = 1);

}  // namespace foreflow::cost
