// What holds for the routes of every graph: random ones against SimGrid's own Dijkstra, and trees of switches.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/base/process.h"
#include "foreflow/platform/describe.h"
#include "foreflow/platform/load.h"
#include "platform/files/routing.h"
#include "support/graph_text.h"

namespace foreflow::platform::graph_routes_test {
namespace {

using test::GraphText;

int pick(std::mt19937_64& random, int below) { return static_cast<int>(random() % static_cast<uint64_t>(below)); }

// A tree of routers with some further cables; devices hang on it by one cable each, as SimGrid would let them forward.
// Every link takes 1 us, so that least latency and fewest links, which SimGrid minimises, are the same.
// Half of the networks are one large server.
std::string random_network(uint64_t seed) {
  std::mt19937_64 random(seed);
  GraphText text;
  const int routers = 2 + pick(random, 10), devices = 2 + pick(random, 8);
  const bool one_server = pick(random, 2) == 0;
  for (int i = 0; i < devices; ++i) text.device(fmt::format("d{}", i), fmt::format("n{}", i));
  for (int i = 0; i < routers; ++i) text.router(fmt::format("r{}", i));
  std::set<std::pair<int, int>> cabled;
  const auto cable = [&](int a, int b) {
    if (a == b || !cabled.insert(std::minmax(a, b)).second) return;
    text.cable(fmt::format("r{}", a), fmt::format("r{}", b), one_server ? "pcie" : "fabric", 1 + pick(random, 4),
               fmt::format("{}GBps", 1 + pick(random, 50)), "1us");
  };
  for (int i = 1; i < routers; ++i) cable(i, pick(random, i));
  for (int i = 0; i < routers; ++i) cable(pick(random, routers), pick(random, routers));
  for (int i = 0; i < devices; ++i) {
    text.cable(fmt::format("d{}", i), fmt::format("r{}", pick(random, routers)), one_server ? "pcie" : "nic",
               1 + pick(random, 2), fmt::format("{}GBps", 1 + pick(random, 50)), "1us");
  }
  return text.xml();
}

// How many ways of least cost lead from each vertex to `target`, over routers only (counted in Dijkstra's order).
std::vector<int> shortest_ways(const Graph& graph, int target) {
  std::vector<size_t> cost(graph.vertices.size(), SIZE_MAX);
  std::vector<int> ways(graph.vertices.size());
  std::set<std::pair<size_t, int>> frontier = {{0, target}};
  nth(cost, target)                         = 0;
  nth(ways, target)                         = 1;
  while (!frontier.empty()) {
    const auto [here, at] = *frontier.begin();
    frontier.erase(frontier.begin());
    if (at != target && nth(graph.vertices, at).device >= 0) continue;
    for (const Edge& edge : graph.edges) {
      if (edge.a != at && edge.b != at) continue;
      const auto next     = static_cast<size_t>(edge.a == at ? edge.b : edge.a);
      const size_t longer = here + edge.forth.size();
      if (longer < cost[next]) ways[next] = 0;
      if (longer < cost[next]) frontier.emplace(cost[next] = longer, static_cast<int>(next));
      if (longer == cost[next]) ways[next] += nth(ways, at);
    }
  }
  return ways;
}

class RandomGraph : public testing::TestWithParam<uint64_t> {};

TEST_P(RandomGraph, RoutesAsSimgridDoesWhereOneWayIsShortest) {
  size_t unique = 0;
  for (uint64_t i = 0; i < 10; ++i) {
    const std::string xml   = random_network(100 * GetParam() + i);
    const Platform platform = load(xml, "random");
    const Document document = read_document(xml, "random");
    const Routing simgrid =
        from_bytes(run_in_child("random", [&] { return to_bytes(ask_simgrid(xml, "random", document)); }));
    const int count = static_cast<int>(platform.devices().size());
    size_t at       = 0;
    for (int from = 0; from < count; ++from) {
      for (int to = 0; to < count; ++to) {
        const Route ours  = platform.route(from, to);
        const auto length = static_cast<size_t>(
            simgrid.lengths[static_cast<size_t>(from) * static_cast<size_t>(count) + static_cast<size_t>(to)]);
        const std::vector<int> theirs(simgrid.crossed.begin() + static_cast<std::ptrdiff_t>(at),
                                      simgrid.crossed.begin() + static_cast<std::ptrdiff_t>(at + length));
        at += length;
        ASSERT_EQ(ours.links.size(), length);
        double latency = 0;
        for (const int link : theirs) latency += nth(simgrid.latency, link);
        EXPECT_DOUBLE_EQ(ours.latency.value(), latency);
        if (from == to || nth(shortest_ways(*platform.graph(), to), from) != 1) continue;
        ++unique;
        // SimGrid 3.32 turns the links of a cable round in Dijkstra zones.
        EXPECT_EQ(std::multiset<int>(ours.links.begin(), ours.links.end()),
                  std::multiset<int>(theirs.begin(), theirs.end()));
        EXPECT_EQ(route_bandwidth(platform, ours).value(), route_bandwidth(platform, {theirs, ours.latency}).value());
      }
    }
    for (size_t l = 0; l < platform.links().size(); ++l) {
      EXPECT_EQ(platform.links()[l].bandwidth.value(), simgrid.bandwidth[l]);
      EXPECT_EQ(platform.links()[l].latency.value(), simgrid.latency[l]);
    }
  }
  EXPECT_GT(unique, 0u);
}

// Which vertices a route passes; fails where its links are not joined.
std::vector<int> vertices(const Platform& platform, int from, const Route& route) {
  std::vector<int> passed = {from};
  size_t next             = 0;
  while (next < route.links.size()) {
    const int link  = route.links[next];
    const auto& all = platform.graph()->edges;
    const auto edge = std::find_if(all.begin(), all.end(), [&](const Edge& row) {
      return (row.a == passed.back() && row.forth.front() == link) ||
             (row.b == passed.back() && row.back.front() == link);
    });
    if (edge == all.end()) {
      ADD_FAILURE() << "link " << link << " does not go on from vertex " << passed.back();
      return passed;
    }
    const bool forth = edge->a == passed.back() && edge->forth.front() == link;
    for (const int crossed : forth ? edge->forth : edge->back) EXPECT_EQ(route.links[next++], crossed);
    passed.push_back(forth ? edge->b : edge->a);
  }
  return passed;
}

TEST_P(RandomGraph, RoutesPassNothingTwiceAndNoDevice) {
  const Platform platform = load(random_network(GetParam()), "random");
  const int count         = static_cast<int>(platform.devices().size());
  for (int from = 0; from < count; ++from) {
    for (int to = 0; to < count; ++to) {
      const std::vector<int> passed = vertices(platform, from, platform.route(from, to));
      EXPECT_EQ(std::set<int>(passed.begin(), passed.end()).size(), passed.size());
      EXPECT_EQ(passed.back(), to);
      for (size_t i = 1; i + 1 < passed.size(); ++i) EXPECT_GE(passed[i], count);
    }
  }
}

// Devices that hang on one cable each: a detour over another device passes its switch, so it is never shorter.
TEST_P(RandomGraph, RoutesAreSymmetricInLatencyAndKeepTheTriangleInequality) {
  const Platform platform = load(random_network(GetParam()), "random");
  const int count         = static_cast<int>(platform.devices().size());
  const auto latency      = [&](int from, int to) { return platform.route(from, to).latency.value(); };
  for (int a = 0; a < count; ++a) {
    for (int b = 0; b < count; ++b) {
      EXPECT_DOUBLE_EQ(latency(a, b), latency(b, a));
      for (int c = 0; c < count; ++c) EXPECT_LE(latency(a, c), latency(a, b) + latency(b, c) + 1e-12);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraph, testing::Range<uint64_t>(0, 20));

}  // namespace
}  // namespace foreflow::platform::graph_routes_test
