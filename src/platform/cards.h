// Which network cards serve a device.
#pragma once

#include "platform/layout.h"

namespace foreflow::platform {

// In the routes between all devices; nothing of a platform that has too many.
CardUse cards_by_routes(const Platform& platform);

// Of a recipe: in the routes of one node of each part, to another node and back.
CardUse cards_by_nodes(const Layout& layout, const Router& router);

}  // namespace foreflow::platform
