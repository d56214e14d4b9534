// The parts of a machine by rule: a shape for each block, an island for each node, and the fabric as the core.
#include <algorithm>
#include <numeric>
#include <set>

#include "foreflow/platform/link_kinds.h"
#include "platform/routes/core_network.h"
#include "platform/ruled/ruled.h"

namespace foreflow::platform {
namespace {

size_t place(int index) { return static_cast<size_t>(index); }

bool stay_inside(const std::vector<Cable>& cables) {
  return std::all_of(cables.begin(), cables.end(), [](const Cable& cable) { return stays_in_server(cable.port.kind); });
}

// Returns true if cables join all vertices of the node.
bool is_joined(const Node& node) {
  std::vector<std::vector<int>> next(place(node.gpus) + node.switches.size());
  for (const Cable& cable : node.cables) {
    next[place(cable.from)].push_back(cable.to);
    next[place(cable.to)].push_back(cable.from);
  }
  std::vector<char> seen(next.size());
  std::vector<int> frontier = {0};
  size_t joined             = 0;
  while (!frontier.empty()) {
    const int at = frontier.back();
    frontier.pop_back();
    if (seen[place(at)] != 0) continue;
    seen[place(at)] = 1;
    ++joined;
    frontier.insert(frontier.end(), next[place(at)].begin(), next[place(at)].end());
  }
  return joined == next.size();
}

bool is_one_island(const Block& block) {
  const Node& node = block.node;
  const bool separate =
      std::none_of(node.nics.begin(), node.nics.end(), [](const Nic& nic) { return stays_in_server(nic.port.kind); });
  return separate && stay_inside(node.cables) && is_joined(node) &&
         place(node.gpus) + node.switches.size() <= kLargestIsland;
}

class RuledParts {
 public:
  RuledParts(const Layout& layout, const std::string& name) : layout_(layout) {
    const auto vertices = place(layout.vertices());
    for (const Link& kind : layout.link_kinds()) {
      if (is_too_long(kind.latency, vertices)) name_the_first(vertices, name);
      costs_.push_back(cost_of(kind.latency, 1));
    }
  }

  Parts make() {
    find_odd_nodes();
    parts_.islands.reserve(place(layout_.nodes()));
    parts_.places.resize(place(layout_.devices()));
    for (const Block& block : layout_.blocks()) add_block(block);
    add_core();
    number_ports(parts_);
    return std::move(parts_);
  }

 private:
  void name_the_first(size_t vertices, const std::string& name) const {
    for (int link = 0; link < 2 * layout_.cables(); ++link) check_latency(layout_.make_link(link), vertices, name);
  }

  const std::string& kind(int cable) const { return layout_.link_kinds()[place(layout_.link_kind(cable))].kind; }
  Cost cost(int cable) const { return costs_[place(layout_.link_kind(cable))]; }

  // Nodes with a cable that is changed by its name have a shape of their own.
  void find_odd_nodes() {
    for (const auto& [cable, unused] : layout_.changed()) {
      if (cable < layout_.first_trunk()) odd_.insert(layout_.owner(cable).node);
    }
  }

  Draft draft_of(const Block& block, int copy) const {
    const Node& node  = block.node;
    const bool relays = layout_.fabric().relays;
    Draft draft{std::vector<char>(place(node.gpus) + node.switches.size(), 1), {}, {}, relays};
    std::fill_n(draft.forwards.begin(), node.gpus, relays ? 1 : 0);
    for (size_t c = 0; c < node.cables.size(); ++c) {
      const int cable = first_cable(block, copy) + static_cast<int>(c);
      const Cost each = cost(cable);
      draft.add({node.cables[c].from, node.cables[c].to, each, each}, joins_accelerators(kind(cable)));
    }
    for (size_t n = 0; n < node.nics.size(); ++n) {
      const Cost each = cost(first_nic(block, copy) + static_cast<int>(n));
      draft.doors.push_back({node.nics[n].vertex, each, each});
    }
    return draft;
  }

  static int first_cable(const Block& block, int copy) {
    return block.first_cable + copy * static_cast<int>(block.node.cables.size());
  }
  int first_nic(const Block& block, int copy) const {
    return layout_.first_nic() + block.first_nic + copy * static_cast<int>(block.node.nics.size());
  }

  int add_shape(const Block& block, int copy) {
    parts_.shapes.push_back(shape_of(draft_of(block, copy)));
    return static_cast<int>(parts_.shapes.size()) - 1;
  }

  void add_block(const Block& block) {
    int usual = -1;
    for (int copy = 0; copy < block.nodes; ++copy) {
      const bool odd = odd_.contains(block.first_node + copy);
      if (!odd && usual < 0) usual = add_shape(block, copy);
      add_island(block, copy, odd ? add_shape(block, copy) : usual);
    }
  }

  void add_island(const Block& block, int copy, int shape) {
    const Node& node   = block.node;
    const int switches = static_cast<int>(node.switches.size());
    const int number   = static_cast<int>(parts_.islands.size());
    const int device   = block.first_device + copy * node.gpus;
    Island& island     = parts_.islands.emplace_back();
    island.shape       = shape;
    island.vertices.resize(place(node.gpus + switches));
    const auto above = island.vertices.begin() + node.gpus;
    std::iota(island.vertices.begin(), above, device);
    std::iota(above, island.vertices.end(), layout_.devices() + block.first_switch + copy * switches);
    island.edges.resize(node.cables.size());
    std::iota(island.edges.begin(), island.edges.end(), first_cable(block, copy));
    for (int gpu = 0; gpu < node.gpus; ++gpu) parts_.places[place(device + gpu)] = {number, gpu};
    const int nic = first_nic(block, copy);
    island.ports.reserve(node.nics.size());
    for (int n = 0; n < static_cast<int>(node.nics.size()); ++n) {
      const int cable = nic + n;
      island.ports.push_back({layout_.fabric().plugs[place(cable - layout_.first_nic())], 2 * cable, 2 * cable + 1});
    }
  }

  void add_core() {
    const Fabric& fabric = layout_.fabric();
    std::vector<Switch> switches(fabric.switches.size());
    for (size_t s = 0; s < switches.size(); ++s) switches[s].vertex = layout_.first_core() + static_cast<int>(s);
    if (has_ways_by_rule(layout_)) {
      parts_.core.names.resize(switches.size());
      std::iota(parts_.core.names.begin(), parts_.core.names.end(), 0);
      for (size_t s = 0; s < switches.size(); ++s) switches[s].core = static_cast<int>(s);
      parts_.core.switches = std::move(switches);
      return;
    }
    std::vector<CoreEdge> edges;
    edges.reserve(fabric.trunks.size());
    for (size_t t = 0; t < fabric.trunks.size(); ++t) {
      const int cable = layout_.first_trunk() + static_cast<int>(t);
      edges.push_back({fabric.trunks[t].from, fabric.trunks[t].to, cable, cost(cable), cost(cable)});
    }
    parts_.core = make_core(std::move(switches), edges);
  }

  const Layout& layout_;
  Parts parts_;
  std::vector<Cost> costs_;  // of each kind of link
  std::set<int> odd_;        // nodes
};

}  // namespace

bool is_regular(const Layout& layout) {
  return std::all_of(layout.blocks().begin(), layout.blocks().end(), is_one_island);
}

Parts parts_of(const Layout& layout, const std::string& name) {
  if (is_regular(layout)) return RuledParts(layout, name).make();
  std::vector<Link> links;
  for (int link = 0; link < 2 * layout.cables(); ++link) links.push_back(layout.make_link(link));
  return cut(graph_of(layout), links, name);
}

}  // namespace foreflow::platform
