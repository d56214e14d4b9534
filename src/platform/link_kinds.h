// The kinds of links that have a meaning here. Any other word is a kind too, of something outside of servers.
#pragma once

#include <array>
#include <string_view>

namespace foreflow::platform {

inline constexpr std::array<std::string_view, 6> kLinkKinds = {"nvlink", "pcie", "host", "memory", "nic", "fabric"};
inline constexpr std::string_view kServerKinds              = "nvlink, pcie, host and memory";

// Links of these kinds make one server, or one NVLink domain, of what they join.
inline bool stays_in_server(std::string_view kind) {
  return kind == "nvlink" || kind == "pcie" || kind == "host" || kind == "memory";
}

}  // namespace foreflow::platform
