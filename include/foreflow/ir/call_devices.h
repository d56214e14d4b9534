// Calls that state their devices. Most functions name no device and run where their arguments are. A function that
// names one, as in Send(%x, 2), means this very device, unless the call states which devices its D1, D2, ... are:
//
//   func @replica(%x) {                %a: D1 = @replica[devices = [1, 2]](%x1)
//     %y: D2 = Send(%x, 2)             %b: D3 = @replica[devices = [3, 4]](%x2)    // its D2 is D4
//     ...
#pragma once

#include <functional>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::ir {

inline constexpr std::string_view kCallDevices = "devices";
inline constexpr std::string_view kStream      = "stream";

// The devices that a call states: element i is the caller's number of the function's device D(i + 1). Null if the op is
// not a call or states none.
const std::vector<int64_t>* call_devices(const Op& op);

// Describes what is wrong with the attributes of a call; empty if nothing is. The only attribute allowed is `devices`,
// a list of distinct numbers.
std::string call_problem(const Attributes& attributes);

// The attributes of `op` with every device in them (`to` of a communication, `devices` of a call) replaced by
// `renamed(device)`.
Attributes with_devices(const Op& op, const std::function<Device(const Device&)>& renamed);

// The devices that the attribute `to` of a communication names: one device, or a list of numbers. With a list, the
// attribute `stream` says which of their streams is meant, where it is not the main one.
std::vector<Device> destinations(const Attributes& attributes);

// Returns true if the attributes of the op name devices.
bool names_devices(const Op& op);

}  // namespace foreflow::ir
