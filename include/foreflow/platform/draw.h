// Pictures of platforms: devices in boxes by server, switches above them, NVSwitches below, cables in colours by kind.
// Readable up to about 64 devices. For platforms with routes only, each link is drawn as a box that is joined to the
// links that follow it on a route.
#pragma once

#include <string>

#include "foreflow/platform/platform.h"

namespace foreflow::platform {

// For Graphviz: an undirected graph.
std::string draw_dot(const Platform& platform);

// A complete SVG document.
std::string draw_svg(const Platform& platform);

}  // namespace foreflow::platform
