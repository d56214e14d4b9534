// The graph in two parts, because almost everything is known about each alone. An island is a server or an NVLink
// domain: what cables of the kinds nvlink, pcie, host and memory join, with at least one device. All other switches are
// the core. Messages leave and enter islands through ports and never pass through one.
//
//   gpu0 --pcie-- switch --nic--> leaf --fabric-- spine --fabric-- leaf --nic-- switch --pcie-- gpu9
//   |------ island ------| port  |------------- core -------------| port |------- island ------|
#pragma once

#include <utility>
#include <vector>

#include "foreflow/platform/graph.h"
#include "foreflow/platform/platform.h"
#include "platform/shortest.h"

namespace foreflow::platform {

// Steps: 2 * index of an edge of the graph + (0: from a to b, 1: from b to a); -1 where nothing is crossed.

// A port as seen from inside: the vertex that has it, and what its cable costs.
struct Door {
  int at;
  Cost out, in;
};

// What equal islands share. Vertices and doors are counted inside the island.
struct Shape {
  Network network;
  std::vector<std::vector<Cost>> left;  // left[to][from]: the cost of the way inside
  std::vector<Door> doors;
  // Of each device: (cost to the far end of the port's cable, door), cheapest first; doors that it cannot reach are
  // left out. Empty for switches.
  std::vector<std::vector<std::pair<Cost, int>>> leaving, entering;
};

struct IslandPort {
  int at;                 // the switch at its far end: an index into Core::switches
  int out_step, in_step;  // the cable
  int number = 0;         // among all ports, counted from switch to switch
};

struct Island {
  int shape;
  std::vector<int> vertices;      // of the graph
  std::vector<int> edges;         // wire of the shape's network -> edge of the graph
  std::vector<IslandPort> ports;  // door -> port
};

// A switch outside of all islands. One with a single cable to the others is no vertex of the core's network, since
// nothing passes through it: its neighbour stands for it.
struct Switch {
  int vertex;             // of the graph; -1: stands in the middle of a cable between two islands
  int core = -1;          // vertex of the network that stands for it
  Cost up = 0, down = 0;  // to and from that vertex
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
};

Shape shape_of(Draft draft);

// Numbers the ports of all islands: in the order of the network's vertices, those of one vertex in the order of the
// islands.
void number_ports(Parts& parts);

// Whether a latency is too long to be added up exactly in a graph of so many vertices.
bool is_too_long(Seconds latency, size_t vertices);

// Throws Error(name, ...) when that of the link is.
void check_latency(const Link& link, size_t vertices, const std::string& name);

// The most vertices of an island: what is known about each pair inside it must stay small.
inline constexpr size_t kLargestIsland = 2048;

}  // namespace foreflow::platform
