#include "platform/views/sketch.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/platform/describe.h"
#include "foreflow/platform/link_kinds.h"

namespace foreflow::platform {
namespace {

std::string about(const Platform& platform, const std::vector<int>& links) {
  Route route{links, Seconds(0)};
  for (const int link : links) route.latency += nth(platform.links(), link).latency;
  return fmt::format("{}, {}", format(route_bandwidth(platform, route)), format(route.latency));
}

std::vector<Item> devices(const Platform& platform) {
  std::vector<Item> items;
  for (const Device& device : platform.devices()) items.push_back({device.name, device.node, 0, true});
  return items;
}

Sketch of_graph(const Platform& platform) {
  Sketch sketch{devices(platform), {}};
  const Graph& graph = *platform.graph();
  for (size_t v = sketch.items.size(); v < graph.vertices.size(); ++v) sketch.items.push_back({graph.vertices[v].name});
  for (const Edge& edge : graph.edges) {
    sketch.lines.push_back({edge.a, edge.b, nth(platform.links(), edge.forth.front()).kind, about(platform, edge.forth),
                            route_bandwidth(platform, {edge.forth, Seconds(0)}).value()});
  }
  return sketch;
}

// "X_UP" and "X_DOWN" are the cable X.
std::string cable_of(const Link& link) {
  for (const std::string_view end : {"_UP", "_DOWN"}) {
    if (link.name.ends_with(end)) return link.name.substr(0, link.name.size() - end.size());
  }
  return link.name;
}

Sketch of_routes(const Platform& platform) {
  Sketch sketch{devices(platform), {}};
  const int count = static_cast<int>(sketch.items.size());
  std::map<std::string, int> cables;
  std::vector<int> item_of_link;
  for (const Link& link : platform.links()) {
    const auto [cable, is_new] = cables.emplace(cable_of(link), static_cast<int>(sketch.items.size()));
    if (is_new) sketch.items.push_back({cable->first});
    item_of_link.push_back(cable->second);
  }
  std::set<std::pair<int, int>> joined;
  const auto join = [&](int a, int b, int link) {
    if (a == b || !joined.insert(std::minmax(a, b)).second) return;
    const Link& crossed = nth(platform.links(), link);
    sketch.lines.push_back({a, b, crossed.kind, about(platform, {link}), crossed.bandwidth.value()});
  };
  for (int from = 0; from < count; ++from) {
    for (int to = 0; to < count; ++to) {
      int at = from;
      for (const int link : platform.route(from, to).links) {
        join(at, nth(item_of_link, link), link);
        at = nth(item_of_link, link);
      }
    }
  }
  return sketch;
}

using Neighbours = std::vector<std::vector<int>>;

Neighbours neighbours(const Sketch& sketch) {
  Neighbours result(sketch.items.size());
  for (const Line& line : sketch.lines) {
    nth(result, line.a).push_back(line.b);
    nth(result, line.b).push_back(line.a);
  }
  return result;
}

// Rows by distance from `row`, over lines inside servers or all; an item of one server belongs to it.
void climb(Sketch& sketch, std::vector<int> row, const Neighbours& next, std::vector<char>& placed) {
  while (!row.empty()) {
    std::map<int, std::set<std::string>> owners;
    for (const int at : row) {
      for (const int above : nth(next, at)) {
        if (nth(placed, above) == 0) owners[above].insert(nth(sketch.items, at).node);
      }
    }
    const int level = nth(sketch.items, row.front()).row + 1;
    row.clear();
    for (const auto& [above, nodes] : owners) {
      Item& item         = nth(sketch.items, above);
      item.row           = level;
      item.node          = nodes.size() == 1 ? *nodes.begin() : "";
      nth(placed, above) = 1;
      row.push_back(above);
    }
  }
}

void arrange(Sketch& sketch) {
  Sketch servers = sketch;
  std::erase_if(servers.lines, [](const Line& line) { return !stays_in_server(line.kind); });
  std::vector<char> placed(sketch.items.size());
  std::vector<int> row;
  for (size_t i = 0; i < sketch.items.size(); ++i) {
    if (!sketch.items[i].device) continue;
    placed[i] = 1;
    row.push_back(static_cast<int>(i));
  }
  climb(sketch, row, neighbours(servers), placed);

  // The rest begins above the highest server.
  const Neighbours all = neighbours(sketch);
  int top              = 0;
  for (const Item& item : sketch.items) top = std::max(top, item.row);
  row.clear();
  for (size_t i = 0; i < sketch.items.size(); ++i) {
    const auto is_placed = [&](int other) { return nth(placed, other) == 1; };
    if (placed[i] == 0 && std::any_of(all[i].begin(), all[i].end(), is_placed)) row.push_back(static_cast<int>(i));
  }
  for (const int first : row) nth(placed, first) = 2, nth(sketch.items, first).row = top + 1;
  climb(sketch, row, all, placed);

  std::vector<char> only_nvlink(sketch.items.size(), 1);
  for (const Line& line : sketch.lines) {
    if (!is_nvlink(line.kind)) nth(only_nvlink, line.a) = nth(only_nvlink, line.b) = 0;
  }
  for (size_t i = 0; i < sketch.items.size(); ++i) {
    if (!sketch.items[i].device && only_nvlink[i] != 0 && !all[i].empty()) sketch.items[i].row = -sketch.items[i].row;
  }
}

}  // namespace

Sketch sketch(const Platform& platform) {
  if (platform.devices().empty()) throw Error(platform.name(), "no host of it computes; there is no device to draw");
  Sketch result = platform.graph() == nullptr ? of_routes(platform) : of_graph(platform);
  arrange(result);
  return result;
}

std::string_view short_name(const Item& item) {
  std::string_view name = item.name;
  if (!item.node.empty() && name.starts_with(item.node + "-")) name.remove_prefix(item.node.size() + 1);
  return name;
}

std::string_view colour(std::string_view kind) {
  struct Row {
    std::string_view kind, colour;
  };
  static constexpr std::array<Row, 8> kColours = {{{"nvlink", "#76b900"},
                                                   {"xgmi", "#c1272d"},
                                                   {"scaleup", "#0aa5a5"},
                                                   {"pcie", "#d98b1f"},
                                                   {"host", "#a0522d"},
                                                   {"memory", "#888888"},
                                                   {"nic", "#2a6fbb"},
                                                   {"fabric", "#7a3fb0"}}};
  const auto found = std::find_if(kColours.begin(), kColours.end(), [&](const Row& row) { return row.kind == kind; });
  return found == kColours.end() ? "#444444" : found->colour;
}

double stroke_width(double bandwidth) {
  constexpr double kThinnest = 10e9;  // bytes per second
  return 1 + std::clamp(std::log2(bandwidth / kThinnest), 0.0, 6.0) / 2;
}

}  // namespace foreflow::platform
