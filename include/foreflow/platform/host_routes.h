// Routes between devices and the memory of their server's CPUs.
#pragma once

#include <vector>

#include "foreflow/platform/platform.h"

namespace foreflow::platform {

// The host is at the upper end of a device's PCIe links. A route follows edges of kind `pcie` upwards, in the direction
// in which the graph declares them (from device to switch, from switch to root complex), as far as they lead. Devices
// below one PCIe switch share its uplink.
class HostRoutes {
 public:
  explicit HostRoutes(const Platform& platform);  // `platform` must outlive this object

  // The route of a copy to or from the host. Throws Error at "platform NAME" when the device has no PCIe link, or the
  // platform has no graph.
  Route to_host(int device) const;
  Route from_host(int device) const;

 private:
  std::vector<int> climb(int device) const;

  const Platform& platform_;
  std::vector<int> up_;  // per vertex: the edge that leads up; -1: none
};

}  // namespace foreflow::platform
