#include "foreflow/platform/host_routes.h"

#include <algorithm>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"

namespace foreflow::platform {
namespace {

bool is_of(const Platform& platform, const Edge& edge, std::string_view kind) {
  return std::all_of(edge.forth.begin(), edge.forth.end(),
                     [&](int link) { return platform.links().like(static_cast<size_t>(link)).kind == kind; });
}

}  // namespace

HostRoutes::HostRoutes(const Platform& platform) : platform_(platform) {
  if (platform.graph() == nullptr) return;
  const Graph& graph = *platform.graph();
  up_.assign(graph.vertices.size(), -1);
  std::vector<int> nics(up_.size()), others(up_.size());  // edges of each vertex
  for (const Edge& edge : graph.edges) {
    auto& count = is_of(platform, edge, "nic") ? nics : others;
    ++nth(count, edge.a);
    ++nth(count, edge.b);
  }
  for (size_t e = 0; e < graph.edges.size(); ++e) {
    const Edge& edge = graph.edges[e];
    const auto below = static_cast<size_t>(edge.a), above = static_cast<size_t>(edge.b);
    const bool card  = graph.vertices[below].device < 0 && nics[above] > 0 && others[above] == 1;
    const bool leads = is_of(platform, edge, "pcie") && graph.vertices[above].device < 0 && !card;
    if (leads && up_[below] < 0) up_[below] = static_cast<int>(e);
  }
}

std::vector<int> HostRoutes::climb(int device) const {
  std::vector<int> edges;
  if (up_.empty()) {
    throw PartError(
        "platform " + platform_.name(),
        "is no graph of links, so the way from devices to the memory of their hosts is not known; write it as "
        "one zone with routing=\"Dijkstra\", or leave offload at false");
  }
  const Graph& graph = *platform_.graph();
  for (auto at = static_cast<size_t>(device); up_[at] >= 0 && edges.size() < up_.size();) {
    edges.push_back(up_[at]);
    at = static_cast<size_t>(nth(graph.edges, up_[at]).b);
  }
  if (edges.empty()) {
    throw PartError("platform " + platform_.name(), "has no link of the kind pcie from " +
                                                        nth(platform_.devices(), device).name +
                                                        " to its host; add one, or leave offload at false");
  }
  return edges;
}

Route HostRoutes::to_host(int device) const {
  Route route{{}, Seconds(0)};
  for (const int e : climb(device)) {
    for (const int link : nth(platform_.graph()->edges, e).forth) {
      route.links.push_back(link);
      route.latency += platform_.links().like(static_cast<size_t>(link)).latency;
    }
  }
  return route;
}

Route HostRoutes::from_host(int device) const {
  Route route{{}, Seconds(0)};
  const std::vector<int> edges = climb(device);
  for (size_t i = edges.size(); i-- > 0;) {
    for (const int link : nth(platform_.graph()->edges, edges[i]).back) {
      route.links.push_back(link);
      route.latency += platform_.links().like(static_cast<size_t>(link)).latency;
    }
  }
  return route;
}

}  // namespace foreflow::platform
