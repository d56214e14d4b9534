// Counts the network cards of a machine, and those that no message of any device crosses.
#pragma once

#include <vector>

#include "platform/layout.h"

namespace foreflow::platform {

// By the routes between all pairs of devices. No cards where a platform has too many devices to look at all pairs.
CardUse cards_by_routes(const Platform& platform);

// By the routes from one node of each part of the recipe to another node and back: the nodes of a part are equal.
CardUse cards_by_nodes(const Layout& layout, const Router& router);

// For each link, 1 if it leads through a network card that no message of any device crosses. Empty where every card
// serves a device, or nothing is known of them.
std::vector<char> idle_cards(const Platform& platform);

}  // namespace foreflow::platform
