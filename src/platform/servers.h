// Writes a machine of equal servers as SimGrid XML. What a GPU's message crosses:
//
//   inside a node   gpu --nvlink up--> (switch, no object) --nvlink down--> gpu
//   between nodes   gpu --pcie--> nic --uplink--> (fabric, no object) --uplink--> nic --pcie--> gpu
//
// Switches and the fabric do not block, so neither is a link: a link common to all routes would be the slowest thing to
// simulate and would limit nothing. SimGrid gives a node one gateway, so the choice of a NIC by GPU is in the GPU's own
// route to that gateway.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace foreflow::platform {

// A full-duplex connection; bandwidth (each direction) and latency (one crossing) as SimGrid writes them: "25GBps",
// "2us".
struct Port {
  std::string kind;
  std::string bandwidth;
  std::string latency;
};

// A GPU's data sheet, as the units of foreflow/base/units.h are written.
struct Gpu {
  std::string kind;
  std::string memory;
  std::string memory_bandwidth;
  std::string launch;
  std::vector<std::pair<std::string, std::string>> peaks;  // by data type, dense; the first is "f32"
};

struct Server {
  std::string title;
  std::vector<std::string> sources;  // one line of the file's comment for each
  Gpu gpu;
  int gpus = 0;
  Port nvlink;
  Port pcie;
  std::optional<Port> nic;  // absent: the uplink is the node's only NIC
  int gpus_per_nic = 0;     // divides `gpus`; 0 without `nic`
  Port uplink;              // the node's connection to the fabric, shared by its GPUs
};

std::string write_servers(const Server& server, int nodes);

}  // namespace foreflow::platform
