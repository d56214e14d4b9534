// The streams of chosen devices, with their times, out of a simulation of all devices. Where one device was simulated
// for all that are alike, the others are written out here: with their own names and places, and communications among
// themselves.
#pragma once

#include <functional>

#include "foreflow/simulate/simulate.h"

namespace foreflow::simulate {

using ChosenDevices = std::function<bool(int32_t number)>;

// The devices come in the order of their numbers (and jobs), each for itself, with their streams and items.
//   1. Instances have those members that are chosen, and ascend in each stream.
//   2. Flows are those of the whole simulation. Their instances follow the others and have no members.
//
// Of a program that has every device.
Run only_devices(const stream::Program& program, const stream::Timeline& timeline, const ChosenDevices& chosen);

// Of a folded program, which is `whole` folded, with all of its items. Throws Error when the streams do not fit into
// memory.
Run only_devices(const stream::CompactProgram& whole, const stream::Program& folded, const stream::Timeline& timeline,
                 const ChosenDevices& chosen);

}  // namespace foreflow::simulate
