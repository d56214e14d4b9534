// A platform as a graph, as declared by a file in graph form: devices and switches are vertices, cables are edges.
#pragma once

#include <string>
#include <vector>

namespace foreflow::platform {

struct Vertex {
  std::string name;
  int device;  // index into Platform::devices(); -1: a switch, which forwards messages
};

// A cable between two vertices. A message from `a` to `b` crosses the links `forth`, one from `b` to `a` the links
// `back`: indices into Platform::links(), at least one in each direction. No link belongs to two edges.
struct Edge {
  int a, b;
  std::vector<int> forth, back;
};

struct Graph {
  std::vector<Vertex> vertices;  // the devices first, in their order
  std::vector<Edge> edges;
  bool relays      = false;    // devices forward what others of their server send; otherwise they forward nothing
  std::string ecmp = "dmodk";  // how a message chooses among equally short paths: the name of a row of ecmp_rules()
};

}  // namespace foreflow::platform
