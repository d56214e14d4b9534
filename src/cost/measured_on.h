// Measured times on a device that may not be the one on which they were measured.
#pragma once

#include <string>

#include "foreflow/cost/calibration.h"
#include "foreflow/platform/platform.h"

namespace foreflow::cost {

// Says, as a sentence for people, why the times of a calibration may not be those of the device. "" if nothing does.
//   1. They were measured on another device: `model`, as a driver calls it (several: "A, B"; "": not known), of which
//   one
//      is another, unless each family states its own. Both have data sheets with names.
//   2. Some of them are shorter than the peaks of the device allow. Bytes count where no cache holds them.
std::string assumption_of_times(const Calibration& calibration, const std::string& model,
                                const platform::Device& device);

}  // namespace foreflow::cost
