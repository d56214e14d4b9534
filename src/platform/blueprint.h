// A machine as a graph of vertices and links. A node recipe makes a Node, a fabric recipe joins the outlets of all
// nodes. layout.h holds both by rule, which is what platforms are made of; `compose` writes copies of the nodes and the
// fabric out into one Blueprint, and `write` makes it XML.
//
//   gpu --nvlink-- nvswitch --nvlink-- gpu
//    |                                  |
//   pcie                               pcie
//    |                                  |
//   switch --nic-- leaf --fabric-- spine --fabric-- leaf ...
//
// A switch (NVSwitch, PCIe switch, root complex, leaf, spine) is a vertex and never a link: a message is limited by
// the links at both ends and by shared uplinks.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "foreflow/platform/data_sheet.h"
#include "foreflow/platform/recipe.h"
#include "platform/routes/ecmp.h"

namespace foreflow::platform {

// A full-duplex connection.
struct Port {
  std::string kind;
  BytesPerSecond bandwidth;  // of each direction
  Seconds latency;           // of one crossing
};

struct Cable {
  std::string name;  // in a node without the node's own: "gpu3-nvlink"
  Port port;
  int from                                               = 0;  // vertices
  int to                                                 = 0;
  std::vector<std::pair<std::string, std::string>> props = {};  // besides the kind and numbers
  LinkNumbers changed                                    = {};  // what the recipe says of it, in place of the port
};

// A connection point between a node and the fabric.
struct Nic {
  std::string name;
  Port port;
  int vertex = 0;
};

// The vertices are the GPUs 0 .. gpus - 1 and then the switches.
struct Node {
  std::string title;
  std::vector<std::string> sources;
  DataSheet gpu;
  int gpus                          = 0;
  std::vector<std::string> switches = {};
  std::vector<Cable> cables         = {};
  std::vector<Nic> nics             = {};
  bool nvls                         = false;  // the NVSwitch reduces
  BytesPerSecond torus_cable        = {};     // of a cable to a neighbour in a torus; zero: as the fabric has it
  Cpu cpu                           = {};     // of its host
};

struct Outlet {
  int node = 0;  // counted over all parts
  int rail = 0;  // which NIC of the node
};

// All NICs of all nodes, node after node.
struct Outlets {
  std::vector<Outlet> all;
  int nodes        = 0;
  int most_of_node = 0;             // NICs of the node that has most
  Port cable;                       // what joins switches: as wide as the widest NIC
  BytesPerSecond torus_cable = {};  // the widest that a node states; zero: none does
  std::string routing        = {};  // one of the fabric's own; empty: shortest ways
};

// Between switches, from the one nearer to nodes, and named after both.
struct Trunk {
  int from, to;
  int port;  // of the fabric
};

// Equally short ways from a switch: way w begins with trunk first + w.
struct Ways {
  int count, first;
};

// How messages cross a fabric with equal trunks, as arithmetic on the numbers of its switches. Pure functions;
// `to` has an outlet.
struct FabricRule {
  std::function<int(int from, int to)> hops;  // trunks from one switch with outlets to another
  std::function<Ways(int at, int to)> ways;   // from any switch on the way
};

// A way of a message that need not be the shortest: the trunks from one switch with outlets to another, in their order.
using FabricPath = std::function<std::vector<int>(int from, int to, const Flow& flow)>;

// Equal parts of a fabric, with as many outlets each, and its trunks in ranges that are numbered part by part.
struct Circle {
  int parts               = 1;
  std::vector<int> ranges = {};  // the number of trunks in each
  // The product of the numbers of equally short ways of a message, switch by switch.
  int ways = 1;
};

struct Fabric {
  std::vector<std::string> notes;     // lines of the file's comment
  std::vector<std::string> switches;  // the vertices
  std::vector<int> plugs;             // the switch of each outlet
  std::vector<Port> ports;
  std::vector<Trunk> trunks;
  std::optional<FabricRule> rule;  // none: routes are found in the graph
  FabricPath path       = {};      // none: messages take shortest ways
  bool relays           = false;   // GPUs pass on what their node sends over their NIC (PXN)
  std::vector<int> tops = {};      // the switches that lead out of the fabric; empty: all that have outlets
  Circle circle         = {};
  // By formula, for equal outlets; zero: there is none. `bisection`: between the first and the last half of
  // the nodes; `next_node`: from every node to the next one at once, as a ring sends; the others as in FabricFacts,
  // `narrowest` where it differs from `bisection`.
  BytesPerSecond bisection = {}, next_node = {}, narrowest = {}, leaf_nic = {};
  double crossings = 1, below_leaf = 1;
  // The numbers of switches and cables that are built, if they differ from those of the trunks, because a trunk stands
  // for several cables.
  int64_t built_switches = 0, built_cables = 0;
};

// The parts that are bought for a fabric besides the cables of NICs: switches, and cables between them.
struct Purchase {
  int64_t switches = 0, cables = 0;
};
Purchase purchase_of(const Fabric& fabric);

// The hardware that equal hosts have.
struct HostSheet {
  DataSheet gpu;
  Cpu cpu = {};
};

// An end of cables that runs ops.
struct Host {
  int vertex = 0;
  std::string node;
  int sheet = 0;  // of `sheets`
  int rail  = 0;  // the NIC of the node that is nearest
};

struct Blueprint {
  std::vector<std::string> comment;
  std::vector<std::pair<std::string, std::string>> props;  // of the zone
  std::vector<HostSheet> sheets;
  std::vector<std::string> vertices;  // names
  std::vector<Host> hosts;
  std::vector<int> routers;  // vertices
  std::vector<Cable> cables;
};

Node build_node(const Part& part);
Outlets outlets_of(const std::vector<Part>& parts, const std::string& routing = "");
Blueprint compose(const Recipe& recipe);
std::string write(const Blueprint& blueprint);

}  // namespace foreflow::platform
