// The kinds of links that have a meaning here. Any other word is a kind too, of something outside of servers.
#pragma once

#include <array>
#include <string_view>

#include "foreflow/platform/host_routes.h"

namespace foreflow::platform {

// xgmi: AMD's Infinity Fabric; scaleup: the Ethernet between the accelerators of one server, as Gaudi's.
inline constexpr std::array<std::string_view, 9> kLinkKinds = {"nvlink", "xgmi", "scaleup", "pcie", "host",
                                                               "memory", "nic",  "fabric",  kCores};
inline constexpr std::string_view kServerKinds              = "nvlink, xgmi, scaleup, pcie, host and memory";

// Links of these kinds make one server, or one NVLink domain, of what they join.
inline bool stays_in_server(std::string_view kind) {
  return kind == "nvlink" || kind == "xgmi" || kind == "scaleup" || kind == "pcie" || kind == "host" ||
         kind == "memory";
}

}  // namespace foreflow::platform
