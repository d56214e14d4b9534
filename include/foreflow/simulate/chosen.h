// Extracts the streams of chosen devices, with their times, from a simulation of all devices. Devices that a folded
// program represents by another one are written out here, with their own names, platform devices and communications.
//
#pragma once

#include <functional>

#include "foreflow/simulate/simulate.h"

namespace foreflow::simulate {

using ChosenDevices = std::function<bool(int32_t number)>;

// Returns the chosen devices by job and number, each with its own streams and items.
//   1. Instances have only their chosen members, and ascend in each stream.
//   2. Flows are those of the whole simulation. Their instances come last and have no members.
//
// For a program that is not folded.
Run only_devices(const stream::Program& program, const stream::Timeline& timeline, const ChosenDevices& chosen);

// For the folded form of `whole`, with all of its items. Throws Error when the streams of the chosen devices do not fit
// into memory.
Run only_devices(const stream::CompactProgram& whole, const stream::Program& folded, const stream::Timeline& timeline,
                 const ChosenDevices& chosen);

}  // namespace foreflow::simulate
