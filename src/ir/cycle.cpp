#include "foreflow/ir/cycle.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/strong_components.hpp>

namespace foreflow::ir {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

Graph graph_of(const std::vector<std::vector<int32_t>>& successors) {
  Graph graph(successors.size());
  for (size_t from = 0; from < successors.size(); ++from) {
    for (const int32_t to : successors[from]) boost::add_edge(from, static_cast<size_t>(to), graph);
  }
  return graph;
}

bool points_to(const std::vector<int32_t>& successors, size_t vertex) {
  return std::find(successors.begin(), successors.end(), static_cast<int32_t>(vertex)) != successors.end();
}

// The lowest vertex on a cycle: one that points to itself or shares its strong component. The number of vertices when
// there is none.
size_t lowest_on_cycle(const Graph& graph, const std::vector<std::vector<int32_t>>& successors) {
  const size_t count = successors.size();
  std::vector<size_t> component(count), members(count);
  const auto index = boost::get(boost::vertex_index, graph);
  boost::strong_components(graph, boost::make_iterator_property_map(component.begin(), index));
  for (const size_t c : component) ++members[c];
  size_t vertex = 0;
  while (vertex < count && members[component[vertex]] == 1 && !points_to(successors[vertex], vertex)) ++vertex;
  return vertex;
}

}  // namespace

std::vector<int32_t> find_cycle(const std::vector<std::vector<int32_t>>& successors) {
  const Graph graph  = graph_of(successors);
  const size_t first = lowest_on_cycle(graph, successors);
  if (first == successors.size()) return {};
  // Follows shortest paths from `first`. The cycle closes at the nearest vertex with an edge back to it.
  const auto index = boost::get(boost::vertex_index, graph);
  std::vector<size_t> parent(successors.size(), first), distance(successors.size(), successors.size());
  distance[first]      = 0;
  const auto parents   = boost::make_iterator_property_map(parent.begin(), index);
  const auto distances = boost::make_iterator_property_map(distance.begin(), index);
  boost::breadth_first_search(graph, first,
                              boost::visitor(boost::make_bfs_visitor(
                                  std::make_pair(boost::record_predecessors(parents, boost::on_tree_edge()),
                                                 boost::record_distances(distances, boost::on_tree_edge())))));
  size_t last = successors.size();
  for (size_t v = 0; v < successors.size(); ++v) {
    if (distance[v] == successors.size() || !points_to(successors[v], first)) continue;
    if (last == successors.size() || distance[v] < distance[last]) last = v;
  }
  std::vector<int32_t> cycle;
  for (size_t v = last; v != first; v = parent[v]) cycle.push_back(static_cast<int32_t>(v));
  cycle.push_back(static_cast<int32_t>(first));
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

}  // namespace foreflow::ir
