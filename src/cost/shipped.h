// The calibrations that come with Foreflow, and which of them a device takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreflow/cost/device_calibration.h"

namespace foreflow::cost {

// All of them, in the order of their files.
const std::vector<DeviceCalibration>& shipped_calibrations();

// The devices whose calibrations `device` takes, its own first: those of its generation before those of the next. One
// that was changed ("NAME (changed)") takes those of the one that it was, as laws are shares of a data sheet.
// Empty: nothing like it was measured.
std::vector<std::string_view> stand_ins(std::string_view device);

}  // namespace foreflow::cost
