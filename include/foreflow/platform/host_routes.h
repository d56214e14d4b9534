// How devices reach the memory of their server's CPUs.
#pragma once

#include <vector>

#include "foreflow/platform/platform.h"

namespace foreflow::platform {

// The host is where the PCIe links of a device lead: up links of the kind `pcie`, as the platform's graph draws its
// edges (from a device to a switch, from that to a root complex), as far as they go. Links that several devices share
// (an uplink of a PCIe switch) are on the ways of all of them.
class HostRoutes {
 public:
  explicit HostRoutes(const Platform& platform);  // which outlives it

  // Of a copy. Throws Error at "platform NAME" where a device has no such link, or the platform is no graph.
  Route to_host(int device) const;
  Route from_host(int device) const;

 private:
  std::vector<int> climb(int device) const;

  const Platform& platform_;
  std::vector<int> up_;  // per vertex: the edge that leads up, -1
};

}  // namespace foreflow::platform
