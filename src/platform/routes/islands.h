// Divides the graph of a platform into islands and a core, so that routes inside an island, and routes through the
// core, can be computed independently of each other.
//   - Island: a server or an NVLink domain, that is, a connected component of cables of kind nvlink, pcie, host and
//     memory with at least one device.
//   - Core: all other switches.
//   - Port: a cable between an island and the core, or another island. Messages enter and leave islands through ports
//     and never pass through an island.
//
//   gpu0 --pcie-- switch --nic--> leaf --fabric-- spine --fabric-- leaf --nic-- switch --pcie-- gpu9
//   |------ island ------| port  |------------- core -------------| port |------- island ------|
#pragma once

#include <utility>
#include <vector>

#include "foreflow/platform/graph.h"
#include "foreflow/platform/platform.h"
#include "platform/routes/shortest.h"

namespace foreflow::platform {

// Steps: 2 * index of an edge of the graph + (0: from a to b, 1: from b to a); -1 where nothing is crossed.

// A port seen from inside its island: the vertex that it belongs to, and the cost of its cable.
struct Door {
  int at;
  Cost out, in;
};

// The part that equal islands share. Vertices and doors are numbered within the island.
struct Shape {
  Network network;
  std::vector<std::vector<Cost>> left;  // left[to][from]: cost of the route inside the island
  std::vector<Door> doors;
  // For each vertex that messages begin or end at: (cost to the far end of the port's cable, door), cheapest first,
  // without doors that it cannot reach. Empty for switches.
  std::vector<std::vector<std::pair<Cost, int>>> leaving, entering;
  bool relays = false;  // as Draft's
};

struct IslandPort {
  int at;                 // the switch at its far end: an index into Core::switches
  int out_step, in_step;  // the cable
  int number = 0;         // number among all ports, in the order of the core's switches
};

struct Island {
  int shape;
  std::vector<int> vertices;      // of the graph
  std::vector<int> edges;         // wire of the shape's network -> edge of the graph
  std::vector<IslandPort> ports;  // door -> port
};

// A switch of the core. A switch with a single cable to other switches is left out of the core's network, because no
// message passes through it; its neighbour represents it.
struct Switch {
  int vertex;             // vertex of the graph; -1: placed on a cable between two islands
  int core = -1;          // vertex of the network that represents it
  Cost up = 0, down = 0;  // cost to and from that vertex
  int up_step = -1, down_step = -1;
};

struct Core {
  std::vector<Switch> switches;
  Network network;
  std::vector<int> names;  // vertex of the network -> switch
  std::vector<int> edges;  // wire -> edge of the graph
};

struct IslandPlace {
  int island = -1;  // -1: in the core
  int index  = 0;   // vertex of the island's shape, or switch
};

struct Parts {
  std::vector<Shape> shapes;
  std::vector<Island> islands;
  Core core;
  std::vector<IslandPlace> places;  // of every vertex of the graph
};

// Throws Error(name, ...) when latencies are too long to be added up exactly.
Parts cut(const Graph& graph, const List<Link>& links, const std::string& name);

// An island as it is before what follows from it is known.
struct Draft {
  std::vector<char> forwards;  // of each vertex
  std::vector<Wire> wires;
  std::vector<Door> doors;
  bool relays = false;  // devices forward what their island sends

  // Adds a wire between vertices that are there. One that leads a device that does not forward to its host
  // (not joins_accelerators) costs kToHost more.
  void add(Wire wire, bool joins_accelerators);
};

Shape shape_of(Draft draft);

// Numbers the ports of all islands: in the order of the network's vertices, those of one vertex in the order of the
// islands.
void number_ports(Parts& parts);

// True if latencies this long cannot be added exactly in a graph of this many vertices.
bool is_too_long(Seconds latency, size_t vertices);

// Throws Error(name, ...) when that of the link is.
void check_latency(const Link& link, size_t vertices, const std::string& name);

// The most vertices of an island: what is known about each pair inside it must stay small.
inline constexpr size_t kLargestIsland = 2048;

}  // namespace foreflow::platform
