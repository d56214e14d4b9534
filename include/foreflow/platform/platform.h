// The machine as a plain value: devices, links, and the links between any two devices. Nothing here knows SimGrid,
// programs or time; recipes (topologies.h) write platforms as SimGrid XML and load.h reads them back.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/units.h"

namespace foreflow::platform {

// An accelerator (or CPU) that runs one operation at a time.
struct Device {
  std::string name;                             // the SimGrid host: "node0-gpu3"
  std::string kind;                             // "V100-SXM3-32GB"
  std::string node;                             // the server that it sits in: "node0"
  Bytes memory;                                 // capacity
  BytesPerSecond memory_bandwidth;              // HBM, data sheet
  std::map<std::string, FlopsPerSecond> peaks;  // dense peak by data type: "f32", "f16", "bf16", "f8", "f64", "tf32"
  Seconds launch;                               // fixed cost of starting one kernel

  // The peak for `dtype`; a type without an entry runs at the f32 peak.
  FlopsPerSecond peak(std::string_view dtype) const;
};

struct Link {
  std::string name;  // as in SimGrid, one direction: "node0-gpu3-nvlink_UP"
  std::string kind;  // "nvlink", "pcie", "nic", "fabric"; "" when the file does not say
  BytesPerSecond bandwidth;
  Seconds latency;
};

// What a message from one device to another crosses.
struct Route {
  std::vector<int> links;  // indices into Platform::links(), in order; a link may occur more than once
  Seconds latency;         // sum over the links
};

class Platform {
 public:
  // `routes[from * devices.size() + to]`; the diagonal is empty.
  Platform(std::string name, std::vector<Device> devices, std::vector<Link> links, std::vector<Route> routes);

  const std::string& name() const { return name_; }
  const std::vector<Device>& devices() const { return devices_; }
  const std::vector<Link>& links() const { return links_; }
  // 0 <= from, to < devices().size().
  const Route& route(int from, int to) const {
    return routes_[static_cast<size_t>(from) * devices_.size() + static_cast<size_t>(to)];
  }

 private:
  std::string name_;
  std::vector<Device> devices_;
  std::vector<Link> links_;
  std::vector<Route> routes_;
};

}  // namespace foreflow::platform
