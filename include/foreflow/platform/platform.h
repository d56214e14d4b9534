// A platform as a plain value: devices, links, and the route between any two devices. Knows nothing of SimGrid,
// programs or time; recipes (topologies.h) write platforms as SimGrid XML and load.h reads them back.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/units.h"
#include "foreflow/platform/graph.h"

namespace foreflow::platform {

// An accelerator (or CPU) that runs one operation at a time.
struct Device {
  std::string name;                             // the SimGrid host: "node0-gpu3"
  std::string kind;                             // "V100-SXM3-32GB"
  std::string node;                             // its server: "node0"
  Bytes memory;                                 // capacity
  BytesPerSecond memory_bandwidth;              // of its HBM, by data sheet
  std::map<std::string, FlopsPerSecond> peaks;  // dense peak by data type: "f32", "f16", "bf16", "f8", "f64", "tf32"
  Seconds launch;                               // fixed cost of starting one kernel
  int rail              = 0;  // which of its node's NICs it uses; by default its index within the node
  int nvlink_generation = 0;  // 3 for an A100; 0: no NVLink, or unknown

  // The peak for `dtype`; types without an entry have the f32 peak.
  FlopsPerSecond peak(std::string_view dtype) const;
};

// True when two devices run every op in the same time: equal kind, peaks, memory bandwidth and launch cost.
bool same_speed(const Device& a, const Device& b);

struct Link {
  std::string name;  // as in SimGrid, one direction: "node0-gpu3-nvlink_UP"
  std::string kind;  // "nvlink", "pcie", "host", "nic", "fabric", "memory", ...; "" when the file states none
  BytesPerSecond bandwidth;
  Seconds latency;
  double efficiency = 1;          // fraction of the bandwidth left for payload after protocol overhead, in (0, 1]
  int channels      = 0;          // largest number of channels of a collective that it can carry; 0: unlimited
  Seconds step_latency{0};        // additional time of each step of a collective that crosses it, beyond the latency
  bool in_switch        = false;  // the switch at its end can reduce: NVLS on an nvlink, SHARP on a nic or fabric link
  int nvlink_generation = 0;      // of an nvlink; 0: unknown

  BytesPerSecond payload() const { return efficiency * bandwidth; }
};

// The links that a message from one device to another crosses.
struct Route {
  std::vector<int> links;  // indices into Platform::links(), in order; a link may occur more than once
  Seconds latency;         // sum over the links
};

// A pure function that returns the route from one device to another; the route from a device to itself is empty.
using Router = std::function<Route(int from, int to)>;

class Platform {
 public:
  Platform(std::string name, std::vector<Device> devices, std::vector<Link> links, Router router);
  // `routes[from * devices.size() + to]`; the diagonal is empty.
  Platform(std::string name, std::vector<Device> devices, std::vector<Link> links, std::vector<Route> routes);
  // Routes are computed from the graph on demand, so platforms of any size are possible; see
  // src/platform/graph_router.h. Throws Error when two devices are not connected.
  Platform(std::string name, std::vector<Device> devices, std::vector<Link> links, Graph graph);

  const std::string& name() const { return name_; }
  const std::vector<Device>& devices() const { return devices_; }
  const std::vector<Link>& links() const { return links_; }
  // Requires: 0 <= from, to < devices().size(). Not thread-safe.
  Route route(int from, int to) const { return router_(from, to); }
  // Time of a step of a collective on `route` besides the transfer of its bytes.
  Seconds step_latency(const Route& route) const;
  // Null for platforms with routes only.
  const Graph* graph() const { return graph_.get(); }

 private:
  std::string name_;
  std::vector<Device> devices_;
  std::vector<Link> links_;
  std::shared_ptr<const Graph> graph_;
  Router router_;
};

}  // namespace foreflow::platform
