// Nodes whose devices talk through ports of their own, and through NICs to the other nodes: the machine of the closed
// forms.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "foreflow/platform/platform.h"

namespace foreflow::test {

struct Ports {
  BytesPerSecond near{300e9}, far{25e9};
  Seconds near_latency{3e-6}, far_latency{14e-6};  // of a message
  int devices_per_nic = 1;
  bool in_switch      = false;  // switches add
};

// `node[device]` numbers the nodes. Links 2i and 2i + 1 are device i's port up and down, then each NIC's, node by node.
inline platform::Platform cluster(const std::vector<int>& node, const Ports& ports = {}) {
  std::vector<platform::Device> devices;
  std::vector<platform::Link> links;
  for (size_t i = 0; i < node.size(); ++i) {
    devices.push_back({"gpu" + std::to_string(i),
                       "test",
                       "node" + std::to_string(node[i]),
                       Bytes(1e9),
                       BytesPerSecond(1e12),
                       {{"f32", FlopsPerSecond(1e12)}},
                       Seconds(0)});
    for (const char* way : {"up", "down"})
      links.push_back({"port" + std::to_string(i) + way, "nvlink", ports.near, ports.near_latency / 2});
  }
  std::map<std::pair<int, int>, int> nics;  // (node, number) -> link up
  std::map<int, int> seen;                  // devices of each node so far
  std::vector<int> nic;
  for (const int own : node) {
    const std::pair key(own, seen[own]++ / ports.devices_per_nic);
    if (nics.emplace(key, static_cast<int>(links.size())).second) {
      for (const char* way : {"up", "down"})
        links.push_back({"nic" + std::to_string(nics.size()) + way, "nic", ports.far, ports.far_latency / 2});
    }
    nic.push_back(nics.at(key));
  }
  std::vector<platform::Route> routes;
  for (size_t from = 0; from < node.size(); ++from) {
    for (size_t to = 0; to < node.size(); ++to) {
      platform::Route& route = routes.emplace_back();
      if (from == to) continue;
      const bool far = node[from] != node[to];
      route.links    = far ? std::vector{nic[from], nic[to] + 1}
                           : std::vector{2 * static_cast<int>(from), 2 * static_cast<int>(to) + 1};
      route.latency  = far ? ports.far_latency : ports.near_latency;
    }
  }
  for (platform::Link& link : links) link.in_switch = ports.in_switch;
  return platform::Platform("cluster", std::move(devices), std::move(links), std::move(routes));
}

// `ranks` ranks in nodes of `size`; the last node has what is left.
inline std::vector<int> in_nodes_of(int size, int ranks) {
  std::vector<int> node;
  for (int rank = 0; rank < ranks; ++rank) node.push_back(rank / size);
  return node;
}

}  // namespace foreflow::test
