// Counts the network cards of a machine, and those that no message of any device crosses.
#pragma once

#include "platform/layout.h"

namespace foreflow::platform {

// By the routes between all pairs of devices. No cards where a platform has too many devices to look at all pairs.
CardUse cards_by_routes(const Platform& platform);

// By the routes from one node of each part of the recipe to another node and back: the nodes of a part are equal.
CardUse cards_by_nodes(const Layout& layout, const Router& router);

}  // namespace foreflow::platform
