// Calls that say on which devices they run. Most functions name no device and follow their arguments; one that does
// (Send(%x, 2)) means what it says, unless the call states what the function's D1, D2, ... are:
//
//   func @replica(%x) {                %a: D1 = @replica[devices = [1, 2]](%x1)
//     %y: D2 = Send(%x, 2)             %b: D3 = @replica[devices = [3, 4]](%x2)    // its D2 is D4
//     ...
#pragma once

#include <functional>

#include "foreflow/ir/module.h"

namespace foreflow::ir {

inline constexpr std::string_view kCallDevices = "devices";

// By number inside - 1: the caller's number of the device. Null: the call states none, or the op is no call.
const std::vector<int64_t>* call_devices(const Op& op);

// Empty, or what is wrong with the attributes of a call: they may be `devices`, a list of numbers that all differ.
std::string call_problem(const Attributes& attributes);

// The attributes of `op` with the devices that they name (`to` of a communication, `devices` of a call) renamed.
Attributes with_devices(const Op& op, const std::function<Device(const Device&)>& renamed);

// True when the op names devices.
bool names_devices(const Op& op);

}  // namespace foreflow::ir
