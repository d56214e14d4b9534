// What holds for every topology, with any number of nodes.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/platform/describe.h"
#include "foreflow/platform/load.h"

namespace foreflow::platform::topologies_test {
namespace {

class EveryTopology : public testing::TestWithParam<std::string> {
 protected:
  static Platform with(int nodes) { return make(topologies().get(GetParam(), "test"), nodes); }
};

// Every pair of two different devices, in order.
template <class Visit>
void for_each_pair(const Platform& platform, Visit visit) {
  const int count = static_cast<int>(platform.devices().size());
  for (int from = 0; from < count; ++from) {
    for (int to = 0; to < count; ++to) {
      if (from != to) visit(from, to);
    }
  }
}

TEST_P(EveryTopology, HasSoManyEqualNodesInOrder) {
  const size_t per_node = with(1).devices().size();
  for (const int nodes : {1, 2, 3}) {
    const Platform platform = with(nodes);
    ASSERT_EQ(platform.devices().size(), per_node * static_cast<size_t>(nodes));
    for (size_t i = 0; i < platform.devices().size(); ++i) {
      EXPECT_EQ(platform.devices()[i].node, fmt::format("node{}", i / per_node));
      EXPECT_EQ(platform.devices()[i].name, fmt::format("node{}-gpu{}", i / per_node, i % per_node));
    }
  }
}

TEST_P(EveryTopology, RoutesEveryPairAndTheWayBackIsAsLong) {
  for (const int nodes : {1, 2, 3}) {
    const Platform platform = with(nodes);
    for_each_pair(platform, [&](int from, int to) {
      const Route there = platform.route(from, to);
      const Route back  = platform.route(to, from);
      ASSERT_FALSE(there.links.empty());
      EXPECT_EQ(there.links.size(), back.links.size());
      EXPECT_DOUBLE_EQ(there.latency.value(), back.latency.value());
      EXPECT_EQ(route_bandwidth(platform, there), route_bandwidth(platform, back));
    });
  }
}

TEST_P(EveryTopology, NeverUsesALinkInBothDirections) {
  const Platform platform = with(2);
  for_each_pair(platform, [&](int from, int to) {
    const std::vector<int>& there = platform.route(from, to).links;
    for (const int link : platform.route(to, from).links) EXPECT_EQ(std::count(there.begin(), there.end(), link), 0);
  });
}

TEST_P(EveryTopology, HasNoLinkCommonToAllRoutes) {
  for (const int nodes : {1, 2, 3}) {
    const Platform platform = with(nodes);
    std::vector<size_t> used(platform.links().size());
    size_t routes = 0;
    for_each_pair(platform, [&](int from, int to) {
      const std::vector<int>& links = platform.route(from, to).links;
      for (const int link : std::set<int>(links.begin(), links.end())) ++nth(used, link);
      ++routes;
    });
    if (routes == 0) continue;
    EXPECT_LT(*std::max_element(used.begin(), used.end()), routes);
  }
}

const std::set<std::string> kInside = {"nvlink", "xgmi", "scaleup", "pcie", "host"};

TEST_P(EveryTopology, KeepsMessagesInsideANodeOffTheNetwork) {
  const Platform platform = with(2);
  for_each_pair(platform, [&](int from, int to) {
    const bool inside = nth(platform.devices(), from).node == nth(platform.devices(), to).node;
    for (const int index : platform.route(from, to).links) {
      const Link& link = nth(platform.links(), index);
      if (inside) {
        EXPECT_TRUE(kInside.contains(link.kind)) << link.name;
      } else {
        EXPECT_TRUE(link.kind != "nvlink" && (link.kind != "fabric" || GetParam() == "tpu_v5p")) << link.name;
      }
      EXPECT_GT(link.bandwidth.value(), 0);
    }
  });
}

// What a message costs inside a node: NCCL's step over NVLink where there is any, else over PCIe. Processors are no
// GPUs: the pause between two messages through shared memory was measured.
double step_inside(const std::string& topology, const Platform& platform, const Route& route) {
  if (topology == "cpu_cluster") return 1e-6;
  if (nth(platform.links(), route.links.front()).kind == "pcie") return 5.7e-6;
  return 3.4e-6;
}

TEST_P(EveryTopology, CostsNcclsRingStepPerMessage) {
  const double between    = GetParam() == "localhost" || GetParam() == "tpu_v5p" ? 1e-6 : 14e-6;
  const Platform platform = with(2);
  for_each_pair(platform, [&](int from, int to) {
    const bool inside  = nth(platform.devices(), from).node == nth(platform.devices(), to).node;
    const Route& route = platform.route(from, to);
    EXPECT_NEAR(route.latency.value(), inside ? step_inside(GetParam(), platform, route) : between, 1e-12);
  });
}

INSTANTIATE_TEST_SUITE_P(Topologies, EveryTopology, testing::ValuesIn(topologies().names()),
                         [](const auto& row) { return row.param; });

}  // namespace
}  // namespace foreflow::platform::topologies_test
