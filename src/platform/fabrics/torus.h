// Tori of two and three dimensions: a switch for each node, joined to its neighbours and around.
#pragma once

#include "platform/blueprint.h"

namespace foreflow::platform {

FabricSettings read_torus(const JsonView& json, const Outlets& outlets, int dimensions);
Fabric build_torus(const FabricSettings& settings, const Outlets& outlets);

inline constexpr Parameter kTorusDims = {"dims", "such as \"8x8\" or \"4x4x4\"; near-square by default"};

}  // namespace foreflow::platform
