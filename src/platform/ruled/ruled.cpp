#include "platform/ruled/ruled.h"

#include <memory>
#include <utility>

#include "foreflow/base/nth.h"
#include "foreflow/platform/load.h"
#include "platform/capacity/cards.h"
#include "platform/routes/graph_router.h"

namespace foreflow::platform {
namespace {

using LayoutRef = std::shared_ptr<const Layout>;

ListRule<Device> devices_of(const LayoutRef& layout) {
  return {.size  = static_cast<size_t>(layout->devices()),
          .make  = [layout](size_t device) { return layout->make_device(static_cast<int>(device)); },
          .kind  = [layout](size_t device) { return layout->device(static_cast<int>(device)).block->device_kind; },
          .kinds = layout->device_kinds()};
}

ListRule<Link> links_of(const LayoutRef& layout) {
  return {.size  = 2 * static_cast<size_t>(layout->cables()),
          .make  = [layout](size_t link) { return layout->make_link(static_cast<int>(link)); },
          .kind  = [layout](size_t link) { return layout->link_kind(static_cast<int>(link / 2)); },
          .kinds = layout->link_kinds()};
}

// "X_UP" and "X_DOWN" of the cable X.
std::optional<int> find_link_of(const Layout& layout, std::string_view name) {
  for (const auto& [end, back] : {std::pair<std::string_view, int>{"_UP", 0}, {"_DOWN", 1}}) {
    if (!name.ends_with(end)) continue;
    const std::optional<int> cable = layout.find_cable(name.substr(0, name.size() - end.size()));
    if (cable) return 2 * *cable + back;
  }
  return std::nullopt;
}

// A step of a layout's cables is a link.
Wiring wiring_of(const LayoutRef& layout) {
  return {[](int step, std::vector<int>& links) { links.push_back(step); },
          [layout](int link) { return nth(layout->link_kinds(), layout->link_kind(link / 2)).latency; },
          [layout](int device) { return static_cast<uint64_t>(layout->rail(device)); }};
}

// Equal nodes around one switch, of which no cable differs from others of its place.
bool joins_equal_nodes(const Layout& layout) {
  const Fabric& fabric = layout.fabric();
  return layout.blocks().size() == 1 && fabric.switches.size() == 1 && fabric.trunks.empty() &&
         layout.changed().empty() && is_regular(layout);
}

}  // namespace

Graph graph_of(const Layout& layout) {
  Graph graph;
  graph.ecmp   = layout.recipe().ecmp;
  graph.relays = layout.fabric().relays;
  for (int v = 0; v < layout.vertices(); ++v)
    graph.vertices.push_back({layout.vertex_name(v), v < layout.devices() ? v : -1});
  for (int c = 0; c < layout.cables(); ++c) {
    const auto [from, to] = layout.ends(c);
    graph.edges.push_back({from, to, {2 * c}, {2 * c + 1}});
  }
  return graph;
}

Platform make(const Recipe& recipe) {
  const auto layout      = std::make_shared<const Layout>(recipe);
  const std::string name = name_of(recipe);
  Parts parts            = parts_of(*layout, name);
  const EcmpRule& rule   = *find_ecmp_rule(recipe.ecmp);
  CoreWays core = has_ways_by_rule(*layout) ? ways_by_rule(layout, rule) : find_ways(std::move(parts.core), rule);
  if (layout->fabric().path) core.walk = walk_by_path(layout);
  return {name, PlatformRule{.devices     = devices_of(layout),
                             .links       = links_of(layout),
                             .nodes       = layout->nodes(),
                             .node        = [layout](int device) { return layout->device(device).node; },
                             .find_device = [layout](std::string_view text) { return layout->find_device(text); },
                             .find_link   = [layout](std::string_view text) { return find_link_of(*layout, text); },
                             .graph       = [layout] { return graph_of(*layout); },
                             .router      = make_router(std::move(parts), std::move(core), wiring_of(layout), rule),
                             .cards       = [layout](const Router& router) { return cards_by_nodes(*layout, router); },
                             .equal_nodes = joins_equal_nodes(*layout),
                             .rotation    = rotation_of(*layout, rule)}};
}

Platform make(const TopologyDef& topology, int nodes) { return make(recipe_of(topology, nodes)); }

}  // namespace foreflow::platform
