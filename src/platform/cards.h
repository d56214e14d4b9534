// Which network cards serve a device.
#pragma once

#include "platform/layout.h"

namespace foreflow::platform {

// As the routes between all devices use them; nothing for a platform that has too many.
CardUse cards_by_routes(const Platform& platform);

// As the routes of one node of each part of a recipe use them, to another node and back.
CardUse cards_by_nodes(const Layout& layout, const Router& router);

}  // namespace foreflow::platform
