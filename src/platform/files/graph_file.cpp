// The graph that the routes of one Dijkstra zone draw.
#include <fmt/core.h>

#include <cstdint>
#include <unordered_map>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "platform/files/document.h"
#include "platform/files/xml_shape.h"

namespace foreflow::platform {
namespace {

class GraphReader {
 public:
  GraphReader(const Document& document, const std::string& xml_text, const std::string& file)
      : document_(document), source_(xml_text, file), edge_of_link_(document.links.size(), -1) {}

  Graph read() {
    graph_.ecmp   = document_.root.ecmp;
    graph_.relays = document_.root.relays;
    for (size_t d = 0; d < document_.devices.size(); ++d) add_vertex(document_.devices[d].name, static_cast<int>(d));
    for (const std::string& router : document_.root.routers) add_vertex(router, -1);
    for (const RouteSpec& route : document_.root.routes) add_route(route);
    check_ways_back();
    check_links();
    return std::move(graph_);
  }

 private:
  void add_vertex(const std::string& name, int device) {
    vertices_.emplace(name, static_cast<int>(graph_.vertices.size()));
    graph_.vertices.push_back({name, device});
  }

  [[noreturn]] void fail(size_t offset, const std::string& what) const { throw Error(source_.where(offset), what); }

  void add_route(const RouteSpec& route) {
    const int from = vertices_.at(route.from), to = vertices_.at(route.to);
    const auto found = edges_.find({to, from});
    const int edge   = found != edges_.end() ? found->second : static_cast<int>(graph_.edges.size());
    for (const int link : route.links) take(link, edge, route);
    if (found != edges_.end()) {
      nth(graph_.edges, edge).back = route.links;
      return;
    }
    edges_.emplace(std::pair{from, to}, edge);
    graph_.edges.push_back({from, to, route.links, {}});
    offsets_.push_back(route.offset);
  }

  void take(int link, int edge, const RouteSpec& route) {
    int& owner = nth(edge_of_link_, link);
    if (owner >= 0 && owner != edge) {
      const Edge& other = nth(graph_.edges, owner);
      fail(route.offset,
           fmt::format("the link \"{}\" is in two edges, \"{}\" to \"{}\" and \"{}\" to \"{}\"; in a graph every edge "
                       "has its own links (or use routing=\"DijkstraCache\", for SimGrid's routes)",
                       nth(document_.links, link).name, name(other.a), name(other.b), route.from, route.to));
    }
    owner = edge;
  }

  void check_ways_back() const {
    for (size_t e = 0; e < graph_.edges.size(); ++e) {
      const Edge& edge = graph_.edges[e];
      if (!edge.back.empty()) continue;
      fail(offsets_[e], fmt::format("the edge from \"{}\" to \"{}\" has no way back; add a route from \"{}\" to \"{}\" "
                                    "or leave out symmetrical=\"NO\"",
                                    name(edge.a), name(edge.b), name(edge.b), name(edge.a)));
    }
  }

  void check_links() const {
    for (size_t l = 0; l < edge_of_link_.size(); ++l) {
      if (edge_of_link_[l] < 0)
        fail(document_.link_offsets[l],
             fmt::format("the link \"{}\" is in no route; add one or remove the link", document_.links[l].name));
    }
  }

  const std::string& name(int vertex) const { return nth(graph_.vertices, vertex).name; }

  struct PairHash {
    size_t operator()(const std::pair<int, int>& pair) const {
      return std::hash<uint64_t>()((static_cast<uint64_t>(pair.first) << 32) | static_cast<uint32_t>(pair.second));
    }
  };

  const Document& document_;
  XmlSource source_;
  Graph graph_;
  std::unordered_map<std::string, int> vertices_;
  std::unordered_map<std::pair<int, int>, int, PairHash> edges_;  // (a, b) -> edge
  std::vector<size_t> offsets_;                                   // of the edges' elements
  std::vector<int> edge_of_link_;                                 // -1: none yet
};

}  // namespace

bool is_graph(const Document& document) { return document.root.routing == "Dijkstra" && document.root.zones.empty(); }

Graph read_graph(const Document& document, const std::string& xml_text, const std::string& file) {
  return GraphReader(document, xml_text, file).read();
}

}  // namespace foreflow::platform
