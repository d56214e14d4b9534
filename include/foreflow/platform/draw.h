// Pictures of platforms: devices in boxes by server, switches above them, NVSwitches below, cables in colours by kind.
// Readable up to some 64 devices. Where only routes are known, a cable is drawn as a box and what follows it on a route
// is joined to it.
#pragma once

#include <string>

#include "foreflow/platform/platform.h"

namespace foreflow::platform {

// For Graphviz: an undirected graph.
std::string draw_dot(const Platform& platform);

// A complete SVG document.
std::string draw_svg(const Platform& platform);

}  // namespace foreflow::platform
