// The machine as a plain value: devices, links, and the route between any two devices. Knows nothing of SimGrid,
// programs or time. A platform from a recipe is represented by rules: names, routes and the graph are computed on
// demand, so its size costs nothing. A platform from a file is represented by lists.
#pragma once

#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/units.h"
#include "foreflow/platform/declared.h"
#include "foreflow/platform/graph.h"
#include "foreflow/platform/list.h"
#include "foreflow/platform/rotation.h"

namespace foreflow::platform {

// The CPU of a host (foreflow/platform/cpu.h).
struct Cpu {
  std::string name;   // "EPYC-7742", or its rating as text; empty: unknown
  double rating = 0;  // how fast it runs one thread: the single-thread rating of PassMark; 0: unknown

  auto operator<=>(const Cpu&) const = default;
};

// An accelerator (or CPU) that runs one operation at a time.
struct Device {
  std::string name;                             // the SimGrid host: "node0-gpu3"
  std::string kind;                             // "V100-SXM3-32GB"
  std::string node;                             // its server: "node0"
  Bytes memory;                                 // capacity
  BytesPerSecond memory_bandwidth;              // of its HBM, by data sheet
  std::map<std::string, FlopsPerSecond> peaks;  // dense peak by data type: "f32", "f16", "bf16", "f8", "f64", "tf32"
  Seconds launch;                               // fixed cost of starting one kernel
  int rail              = 0;   // which of its node's NICs it uses; by default its index within the node
  int nvlink_generation = 0;   // 3 for an A100; 0: no NVLink, or unknown
  Cpu cpu               = {};  // of the host that issues its work

  // The peak for `dtype`; types without an entry have the f32 peak.
  FlopsPerSecond peak(std::string_view dtype) const;

  auto operator<=>(const Device&) const = default;  // of all members
};

// True when two devices run every op in the same time and their hosts issue it in the same time: equal kind, peaks,
// memory bandwidth, launch cost and CPU.
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
  bool fat              = false;  // a FATPIPE: each message has the whole bandwidth, however many there are

  BytesPerSecond payload() const { return efficiency * bandwidth; }

  auto operator<=>(const Link&) const = default;  // of all members
};

// The links that a message from one device to another crosses.
struct Route {
  std::vector<int> links;  // indices into Platform::links(), in order; a link may occur more than once
  // The sum over the links, and of hosts with coordinates (Vivaldi) the latency of their distance, which may be all
  // that there is between them: such a route takes time and no bandwidth.
  Seconds latency;
  // The additional time of each message, beyond the latency and the step latencies of the links. It is the time that
  // the network model of a file adds to the latency of coordinates.
  Seconds step_latency{0};
  // The most that a protocol lets one message have, whatever the links carry: a TCP window, which is inversely
  // proportional to `latency`. 0: any.
  BytesPerSecond limit{0};

  // False when nothing joins the two.
  bool exists() const { return !links.empty() || latency > Seconds(0); }
};

// A pure function that returns the route from one device to another; the route from a device to itself is empty.
using Router = std::function<Route(int from, int to)>;

// Network cards, and how many of them no message of any device crosses: a GPU uses the card that is nearest to it.
struct CardUse {
  int64_t cards = 0, idle = 0;
};

// A machine by rule. All are pure functions.
struct PlatformRule {
  ListRule<Device> devices;
  ListRule<Link> links;
  int nodes = 0;
  std::function<int(int device)> node;
  std::function<std::optional<int>(std::string_view name)> find_device, find_link;
  std::function<Graph()> graph;  // none: only the routes are known
  Router router;
  std::shared_ptr<const Declared> declared           = nullptr;  // null: nothing
  std::function<CardUse(const Router& router)> cards = nullptr;
  bool equal_nodes                                   = false;  // as Platform::has_equal_nodes
  std::optional<Rotation> rotation                   = {};     // none is known
};

class Platform {
 public:
  Platform(std::string name, List<Device> devices, List<Link> links, Router router);
  // `routes[from * devices.size() + to]`; the diagonal is empty.
  Platform(std::string name, List<Device> devices, List<Link> links, std::vector<Route> routes);
  // Routes are found in the graph when they are asked for, so this has any size; src/platform/routes/graph_router.h
  // says how. Throws Error when two devices have no route.
  Platform(std::string name, List<Device> devices, List<Link> links, Graph graph);
  Platform(std::string name, PlatformRule rule);

  const std::string& name() const { return name_; }
  const List<Device>& devices() const { return devices_; }
  const List<Link>& links() const { return links_; }
  // Devices and links of one kind differ in nothing but names and places: indices into devices().kinds() and
  // links().kinds(). Neither makes a device or a link of a machine by rule.
  int device_kind(int device) const { return devices_.kind(static_cast<size_t>(device)); }
  int link_kind(int link) const { return links_.kind(static_cast<size_t>(link)); }
  // Servers, and the number of the one that the device sits in, counted by first appearance.
  int nodes() const;
  int node(int device) const;
  // True where any two nodes can change places, device by device, and nothing differs but names: nodes have as many
  // devices, in the order of the nodes. False where it is not known.
  bool has_equal_nodes() const;
  // By one of its parts; of a single part where no rotation is known.
  const Rotation& rotation() const;
  // By name; none when there is no such device or link.
  std::optional<int> find_device(std::string_view name) const;
  std::optional<int> find_link(std::string_view name) const;
  // 0 <= from, to < devices().size(). Not for several threads at once.
  Route route(int from, int to) const { return router_(from, to); }
  // Cards are the links of the kind "nic", both directions of one together. Found in the routes between all devices, of
  // equal nodes in those of one, and of a file with more than 256 devices in those from each node to some others.
  CardUse cards() const;
  // The same for users. In one node no message needs a card, which says nothing about it, so none is idle.
  CardUse cards_between_nodes() const;
  // Time of a step of a collective on `route` besides the transfer of its bytes.
  Seconds step_latency(const Route& route) const;
  // Null when only the routes are known. Of a machine by rule it is written out when it is first asked for.
  const Graph* graph() const;
  // The other declarations of its file.
  const Declared& declared() const;

 private:
  struct Facts;
  void count_nodes() const;

  std::string name_;
  List<Device> devices_;
  List<Link> links_;
  std::shared_ptr<Facts> facts_;
  Router router_;
};

// Into how many blocks `devices` fall of which the first lies in the first parts of the machine, and each next one is
// the one before, moved by as many parts. 1: into no such blocks, as far as is known.
//
// Example: 0, 8, 16, 24 on four equal servers of 8 devices around a switch are 4 blocks, 0, 9, 16, 25 are 2.
int count_images(const Platform& platform, const std::vector<int>& devices);

}  // namespace foreflow::platform
