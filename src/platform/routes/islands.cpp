#include "platform/routes/islands.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "foreflow/base/disjoint_sets.h"
#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/platform/link_kinds.h"
#include "platform/routes/core_network.h"

namespace foreflow::platform {
namespace {

// The facts that the shape of an island depends on, one integer each.
using Signature = std::vector<uint64_t>;

Signature signature(const Draft& draft) {
  Signature facts = {draft.forwards.size(), draft.wires.size()};
  for (const char forward : draft.forwards) facts.push_back(static_cast<uint64_t>(forward));
  for (const auto& [a, b, forth, back] : draft.wires)
    facts.insert(facts.end(), {static_cast<uint64_t>(a), static_cast<uint64_t>(b), forth, back});
  for (const auto& [at, out, in] : draft.doors) facts.insert(facts.end(), {static_cast<uint64_t>(at), out, in});
  return facts;
}

class Cutter {
 public:
  Cutter(const Graph& graph, const List<Link>& links) : graph_(graph), links_(links) {}

  Parts cut(const std::string& name) {
    read_costs(name);
    place_vertices();
    check_sizes(name);
    for (size_t e = 0; e < graph_.edges.size(); ++e) add_edge(static_cast<int>(e));
    for (size_t i = 0; i < drafts_.size(); ++i) parts_.islands[i].shape = shape_number(std::move(drafts_[i]));
    parts_.core = make_core(std::move(switches_), core_edges_);
    return std::move(parts_);
  }

 private:
  Cost cost(const std::vector<int>& crossed) const {
    Seconds latency(0);
    for (const int link : crossed) latency += links_.like(static_cast<size_t>(link)).latency;
    return cost_of(latency, crossed.size());
  }

  void read_costs(const std::string& name) {
    const size_t vertices = graph_.vertices.size();
    const auto& kinds     = links_.kinds();
    if (std::none_of(kinds.begin(), kinds.end(), [&](const Link& kind) { return is_too_long(kind.latency, vertices); }))
      return;
    for (const Link& link : links_) check_latency(link, vertices, name);
  }

  // True if all links of the edge, both ways, are of such a kind.
  bool are_all(const Edge& edge, bool (*is_such)(std::string_view kind)) const {
    const auto is_one = [&](int link) { return is_such(links_.like(static_cast<size_t>(link)).kind); };
    return std::all_of(edge.forth.begin(), edge.forth.end(), is_one) &&
           std::all_of(edge.back.begin(), edge.back.end(), is_one);
  }

  bool is_inside(const Edge& edge) const { return are_all(edge, stays_in_server); }

  void place_vertices() {
    const size_t count = graph_.vertices.size();
    DisjointSets unions(count);
    for (const Edge& edge : graph_.edges) {
      if (is_inside(edge)) unions.join(edge.a, edge.b);
    }
    std::vector<int> island_of(count, -1);  // by representative
    for (size_t v = 0; v < count; ++v) {
      int& island = nth(island_of, unions.find(static_cast<int>(v)));
      if (graph_.vertices[v].device < 0 || island >= 0) continue;
      island = static_cast<int>(parts_.islands.size());
      parts_.islands.emplace_back();
    }
    drafts_.resize(parts_.islands.size());
    parts_.places.resize(count);
    for (size_t v = 0; v < count; ++v) {
      const int island = nth(island_of, unions.find(static_cast<int>(v)));
      if (island < 0) {
        parts_.places[v] = {-1, new_switch(static_cast<int>(v))};
        continue;
      }
      auto& vertices   = nth(parts_.islands, island).vertices;
      parts_.places[v] = {island, static_cast<int>(vertices.size())};
      vertices.push_back(static_cast<int>(v));
      Draft& draft = nth(drafts_, island);
      draft.relays = graph_.relays;
      draft.forwards.push_back(graph_.vertices[v].device < 0 || graph_.relays ? 1 : 0);
    }
  }

  void check_sizes(const std::string& name) const {
    for (const Island& island : parts_.islands) {
      if (island.vertices.size() <= kLargestIsland) continue;
      const std::string& member = nth(graph_.vertices, island.vertices.front()).name;
      throw Error(name, fmt::format("\"{}\" is in a server of {} devices and routers, which links of the kinds {} "
                                    "join; the most is {}: give links between servers the kind nic or fabric",
                                    member, island.vertices.size(), kServerKinds, kLargestIsland));
    }
  }

  int new_switch(int vertex) {
    switches_.push_back({.vertex = vertex});
    return static_cast<int>(switches_.size()) - 1;
  }

  void add_edge(int index) {
    const Edge& edge = nth(graph_.edges, index);
    const Wire wire{edge.a, edge.b, cost(edge.forth), cost(edge.back)};
    const IslandPlace a = nth(parts_.places, edge.a), b = nth(parts_.places, edge.b);
    if (a.island < 0 && b.island < 0) return core_edges_.push_back({a.index, b.index, index, wire.forth, wire.back});
    if (a.island >= 0 && a.island == b.island && is_inside(edge)) {
      nth(parts_.islands, a.island).edges.push_back(index);
      return nth(drafts_, a.island).add({a.index, b.index, wire.forth, wire.back}, are_all(edge, joins_accelerators));
    }
    if (b.island < 0) return add_port(a, b.index, 2 * index, 2 * index + 1, wire.forth, wire.back);
    if (a.island < 0) return add_port(b, a.index, 2 * index + 1, 2 * index, wire.back, wire.forth);
    const int middle = new_switch(-1);  // each side pays for its way out, and nothing for the way in
    add_port(a, middle, 2 * index, -1, wire.forth, 0);
    add_port(b, middle, 2 * index + 1, -1, wire.back, 0);
  }

  void add_port(const IslandPlace& inside, int at, int out_step, int in_step, Cost out, Cost in) {
    nth(parts_.islands, inside.island).ports.push_back({at, out_step, in_step});
    nth(drafts_, inside.island).doors.push_back({inside.index, out, in});
  }

  int shape_number(Draft draft) {
    const auto [known, is_new] = shape_numbers_.emplace(signature(draft), static_cast<int>(parts_.shapes.size()));
    if (is_new) parts_.shapes.push_back(shape_of(std::move(draft)));
    return known->second;
  }

  const Graph& graph_;
  const List<Link>& links_;
  Parts parts_;
  std::vector<Draft> drafts_;
  std::vector<Switch> switches_;
  std::vector<CoreEdge> core_edges_;
  std::map<Signature, int> shape_numbers_;
};

}  // namespace

namespace {

Seconds longest_latency(size_t vertices) {
  return Seconds(static_cast<double>(kFar) / 256 / 4 / static_cast<double>(vertices) * 1e-12);
}

}  // namespace

bool is_too_long(Seconds latency, size_t vertices) { return latency > longest_latency(vertices); }

void check_latency(const Link& link, size_t vertices, const std::string& name) {
  if (!is_too_long(link.latency, vertices)) return;
  throw Error(name, fmt::format("link \"{}\": the latency {} is too long to be added up exactly in a graph of {} "
                                "vertices; use at most {}",
                                link.name, format(link.latency), vertices, format(longest_latency(vertices))));
}

void Draft::add(Wire wire, bool joins_accelerators) {
  const bool ends_at_device = nth(forwards, wire.a) == 0 || nth(forwards, wire.b) == 0;
  const Cost extra          = ends_at_device && !joins_accelerators ? kToHost : 0;
  wires.push_back({wire.a, wire.b, wire.forth + extra, wire.back + extra});
}

Shape shape_of(Draft draft) {
  const bool relays = draft.relays;
  Shape shape{Network(draft.wires, draft.forwards), {}, std::move(draft.doors), {}, {}, relays};
  const int size = shape.network.size();
  for (int to = 0; to < size; ++to) shape.left.push_back(costs_to(shape.network, to));
  shape.leaving.resize(static_cast<size_t>(size));
  shape.entering.resize(static_cast<size_t>(size));
  for (size_t v = 0; v < static_cast<size_t>(size); ++v) {
    if (shape.network.forwards(static_cast<int>(v)) && !relays) continue;
    for (size_t d = 0; d < shape.doors.size(); ++d) {
      const Door& door = shape.doors[d];
      const auto at    = static_cast<size_t>(door.at);
      if (shape.left[at][v] == kFar) continue;
      shape.leaving[v].emplace_back(shape.left[at][v] + door.out, static_cast<int>(d));
      shape.entering[v].emplace_back(door.in + shape.left[v][at], static_cast<int>(d));
    }
    std::sort(shape.leaving[v].begin(), shape.leaving[v].end());
    std::sort(shape.entering[v].begin(), shape.entering[v].end());
  }
  return shape;
}

void number_ports(Parts& parts) {
  std::vector<int> next(parts.core.names.size() + 1);
  const auto core_of = [&](const IslandPort& port) {
    return static_cast<size_t>(nth(parts.core.switches, port.at).core);
  };
  for (const Island& island : parts.islands) {
    for (const IslandPort& port : island.ports) ++next[core_of(port) + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (Island& island : parts.islands) {
    for (IslandPort& port : island.ports) port.number = next[core_of(port)]++;
  }
}

Parts cut(const Graph& graph, const List<Link>& links, const std::string& name) {
  Parts parts = Cutter(graph, links).cut(name);
  number_ports(parts);
  return parts;
}

}  // namespace foreflow::platform
