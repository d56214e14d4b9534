// The kinds of links that have a meaning here, and what each means. Any other word is a kind, too, of something outside
// of servers.
#pragma once

#include <array>
#include <string_view>

namespace foreflow::platform {

// The kind of a link that no message crosses: the cores of a server, which the work of its hosts shares
// (stream::kHostWork). Of its bandwidth only shares count.
inline constexpr std::string_view kCores = "cores";

// xgmi: AMD's Infinity Fabric; scaleup: the Ethernet between the accelerators of one server, as Gaudi's.
inline constexpr std::array<std::string_view, 9> kLinkKinds = {"nvlink", "xgmi", "scaleup", "pcie", "host",
                                                               "memory", "nic",  "fabric",  kCores};
inline constexpr std::string_view kServerKinds              = "nvlink, xgmi, scaleup, pcie, host and memory";

// Links of these kinds make one server, or one NVLink domain, of what they join.
inline bool stays_in_server(std::string_view kind) {
  return kind == "nvlink" || kind == "xgmi" || kind == "scaleup" || kind == "pcie" || kind == "host" ||
         kind == "memory";
}

// Links between accelerators alone: what two of them exchange takes these where it can.
inline bool joins_accelerators(std::string_view kind) {
  return kind == "nvlink" || kind == "xgmi" || kind == "scaleup";
}

// NVLink, whose generation is a property of the link, and whose switch may reduce (NVLS).
inline bool is_nvlink(std::string_view kind) { return kind == "nvlink"; }
// A network card, over which messages leave a server.
inline bool is_card(std::string_view kind) { return kind == "nic"; }
// A link to a switch between servers, which may reduce (SHARP).
inline bool is_of_fabric(std::string_view kind) { return is_card(kind) || kind == "fabric"; }
// These, and lines between sites.
inline bool joins_servers(std::string_view kind) { return is_of_fabric(kind) || kind == "wan"; }

}  // namespace foreflow::platform
