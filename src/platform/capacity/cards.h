// Counts the network cards of a machine, and those that no message of any device crosses.
#pragma once

#include <vector>

#include "platform/layout/layout.h"

namespace foreflow::platform {

// By the routes between all pairs of up to 256 devices, and of more by those from each node to some others, the
// next, the second, the fourth, and so on, and back.
CardUse cards_by_routes(const Platform& platform);

// By those routes of one node of each part of the recipe, as the nodes of a part are equal.
CardUse cards_by_nodes(const Layout& layout, const Router& router);

// For each link, 1 if it leads through a network card that no message of any device crosses. Empty where every card
// serves a device, or nothing is known of them.
std::vector<char> idle_cards(const Platform& platform);

}  // namespace foreflow::platform
