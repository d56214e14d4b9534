// Zones that put routes together: the way with the fewest links. Of several such ways the one is taken that SimGrid's
// order of work finds, so the loops below run in its order.
//   Floyd: all pairs, a way over the vertex with the lower number first (Floyd, 1962).
//   Dijkstra: from one vertex, vertices in the order in which routes name them, nearest first (Dijkstra, 1959).
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <queue>
#include <unordered_map>

#include "foreflow/base/nth.h"
#include "platform/zones/routings.h"

namespace foreflow::platform::zones {
namespace {

constexpr int kNone = -1;

// SimGrid's DijkstraZone puts each link before those that a route has so far: those of one <route> come out reversed,
// and all of them before the links of other zones.
enum class LinkOrder { kept, reversed };

// Puts the ways of `hops`, indices into Zone::paths, one behind the other. Where one zone is left by another gateway
// than it is entered by, the way between the two comes in between.
void chain(const Zone& zone, const std::vector<int>& hops, LinkOrder order, const Between& between, Way& way) {
  const Path* before = nullptr;
  way.found          = true;
  for (const int hop : hops) {
    const Path& path = nth(zone.paths, hop);
    if (zone.inner && before != nullptr && before->to_gate != path.from_gate) {
      between(before->to_gate, path.from_gate, way);
      if (!way.found) return;
    }
    if (order == LinkOrder::reversed) {
      way.links.insert(way.links.end(), path.links.rbegin(), path.links.rend());
    } else {
      way.links.insert(way.links.end(), path.links.begin(), path.links.end());
    }
    before = &path;
  }
  way.from_gate = nth(zone.paths, hops.front()).from_gate;
  way.to_gate   = nth(zone.paths, hops.back()).to_gate;
}

// True when it was one member to itself, which SimGrid's loopback joins.
bool to_itself(const Tree& tree, const Zone& zone, int from, int to, LinkOrder place, Way& way) {
  if (from != to || zone.path_of.contains({from, to})) return false;
  if (zone.inner) return true;
  way.links.insert(place == LinkOrder::kept ? way.links.end() : way.links.begin(), tree.loopback);
  way.found = true;
  return true;
}

// Per pair: the member before the last one on the way; kNone: there is no way.
std::vector<int> floyd_predecessors(const Zone& zone) {
  const auto size        = static_cast<size_t>(zone.members);
  constexpr int64_t kFar = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> cost(size * size, kFar);
  std::vector<int> before(size * size, kNone);
  for (const Path& path : zone.paths) {
    const size_t pair = static_cast<size_t>(path.from) * size + static_cast<size_t>(path.to);
    cost[pair]        = static_cast<int64_t>(path.links.size());
    before[pair]      = path.from;
  }
  for (size_t c = 0; c < size; ++c) {
    for (size_t a = 0; a < size; ++a) {
      if (cost[a * size + c] == kFar) continue;
      for (size_t b = 0; b < size; ++b) {
        if (cost[c * size + b] == kFar || cost[a * size + c] + cost[c * size + b] >= cost[a * size + b]) continue;
        cost[a * size + b]   = cost[a * size + c] + cost[c * size + b];
        before[a * size + b] = before[c * size + b];
      }
    }
  }
  return before;
}

// The members that routes name, as a graph.
struct RouteGraph {
  explicit RouteGraph(const Zone& of) : zone(of) {
    for (size_t i = 0; i < of.paths.size(); ++i) {
      const int from = vertex(of.paths[i].from), to = vertex(of.paths[i].to);
      nth(out, from).emplace_back(to, static_cast<int>(i));
    }
  }
  int vertex(int member) {
    const auto [known, is_new] = vertices.emplace(member, static_cast<int>(vertices.size()));
    if (is_new) out.emplace_back();
    return known->second;
  }

  const Zone& zone;
  std::unordered_map<int, int> vertices;               // by member
  std::vector<std::vector<std::pair<int, int>>> out;   // of each vertex: a neighbour, and the path to it
  std::unordered_map<int, std::vector<int>> arrivals;  // by first vertex: of each vertex, the path that ends there
};

std::vector<int> dijkstra_arrivals(const RouteGraph& graph, int from) {
  constexpr double kFar = std::numeric_limits<double>::max();
  std::vector<int> arrival(graph.out.size(), kNone);
  std::vector<double> cost(graph.out.size(), kFar);
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  nth(cost, from) = 0;
  queue.emplace(0, from);
  while (!queue.empty()) {
    const auto at = static_cast<size_t>(queue.top().second);
    queue.pop();
    for (const auto& [to, path] : graph.out[at]) {
      const double found = cost[at] + static_cast<double>(nth(graph.zone.paths, path).links.size());
      if (found >= nth(cost, to)) continue;
      nth(cost, to)    = found;
      nth(arrival, to) = path;
      queue.emplace(found, to);
    }
  }
  return arrival;
}

}  // namespace

LocalRouter floyd_routing(const Tree& tree, int number) {
  const Zone& zone = nth(tree.zones, number);
  return [&tree, &zone, before = floyd_predecessors(zone)](int from, int to, const Between& between, Way& way) {
    if (to_itself(tree, zone, from, to, LinkOrder::kept, way)) return;
    std::vector<int> hops;
    int at = to;
    do {
      const int previous =
          before[static_cast<size_t>(from) * static_cast<size_t>(zone.members) + static_cast<size_t>(at)];
      if (previous == kNone) return;
      hops.push_back(zone.path_of.at({previous, at}));
      at = previous;
    } while (at != from);
    std::reverse(hops.begin(), hops.end());
    chain(zone, hops, LinkOrder::kept, between, way);
  };
}

LocalRouter dijkstra_routing(const Tree& tree, int number) {
  const Zone& zone = nth(tree.zones, number);
  return
      [&tree, &zone, graph = std::make_shared<RouteGraph>(zone)](int from, int to, const Between& between, Way& way) {
        if (to_itself(tree, zone, from, to, LinkOrder::reversed, way)) return;
        const auto first = graph->vertices.find(from), last = graph->vertices.find(to);
        if (first == graph->vertices.end() || last == graph->vertices.end()) return;
        auto& arrivals = graph->arrivals[first->second];
        if (arrivals.empty()) arrivals = dijkstra_arrivals(*graph, first->second);
        std::vector<int> hops;
        for (int at = to; at != from;) {
          const int hop = nth(arrivals, graph->vertices.at(at));
          if (hop == kNone) return;
          hops.push_back(hop);
          at = nth(zone.paths, hop).from;
        }
        if (hops.empty()) hops.push_back(zone.path_of.at({from, to}));
        std::reverse(hops.begin(), hops.end());
        Way own;
        chain(zone, hops, LinkOrder::reversed, between, own);
        own.links.insert(own.links.end(), way.links.begin(), way.links.end());
        own.further += way.further;
        way = std::move(own);
      };
}

}  // namespace foreflow::platform::zones
