// A platform as a graph: devices and switches, and the cables between them. What a file in graph form declares.
#pragma once

#include <string>
#include <vector>

namespace foreflow::platform {

struct Vertex {
  std::string name;
  int device;  // index into Platform::devices(); -1: a switch, which forwards messages (a device never does)
};

// A cable between two vertices. A message from `a` to `b` crosses `forth`, one from `b` to `a` crosses `back`: indices
// into Platform::links(), at least one each. No link is in two edges.
struct Edge {
  int a, b;
  std::vector<int> forth, back;
};

struct Graph {
  std::vector<Vertex> vertices;  // the devices first, in their order
  std::vector<Edge> edges;
  std::string ecmp = "dmodk";  // which of several equal ways a message takes: a row of ecmp_rules()
};

}  // namespace foreflow::platform
