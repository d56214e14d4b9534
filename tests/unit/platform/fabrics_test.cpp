// Fabrics by their textbook counts, with nodes whose bandwidth is known.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "foreflow/base/nth.h"
#include "foreflow/platform/describe.h"
#include "support/recipe_text.h"

namespace foreflow::platform::fabrics_test {
namespace {

using test::machine;

constexpr double kNic = 25e9;  // of a dgx_a100, which has eight

struct Links {
  size_t count     = 0;
  double bandwidth = 0;  // together
};

Links fabric_links(const Platform& platform) {
  Links all;
  for (const Link& link : platform.links()) {
    if (link.kind != "fabric") continue;
    ++all.count;
    all.bandwidth += link.bandwidth.value();
  }
  return all;
}

// How many links between switches the way crosses.
long hops(const Platform& platform, int from, int to) {
  const std::vector<int> links = platform.route(from, to).links;
  return std::count_if(links.begin(), links.end(),
                       [&](int link) { return nth(platform.links(), link).kind == "fabric"; });
}

std::string a100(int nodes, const std::string& fabric) {
  return fmt::format(R"({{"topology": "dgx_a100", "nodes": {}, "fabric": {}}})", nodes, fabric);
}

TEST(Fabrics, OfAStarAreNoLinks) {
  const Platform star = machine(a100(4, R"("star")"));
  EXPECT_EQ(fabric_links(star).count, 0u);
  EXPECT_EQ(hops(star, 0, 31), 0);
}

// 32 ports: 4 leaves of 8, and 8 spines.
TEST(Fabrics, OfAFatTreeJoinEveryLeafWithEverySpine) {
  const Platform tree = machine(a100(4, R"("fat_tree2", "leaf_ports": 8)"));
  EXPECT_EQ(fabric_links(tree).count, 2u * 4 * 8);
  EXPECT_EQ(fabric_links(tree).bandwidth, 2 * 4 * 8 * kNic);
  EXPECT_EQ(hops(tree, 0, 8), 2);
  EXPECT_EQ(hops(machine(a100(4, R"("fat_tree2", "leaf_ports": 16)")), 0, 8), 0) << "two nodes on a leaf";
}

// 4 leaves of 8 in 2 pods with 8 spines each, and 2 cores for each spine of a pod.
TEST(Fabrics, OfAFatTreeOfThreeLevelsJoinPodsByCores) {
  const Platform tree = machine(a100(4, R"("fat_tree3", "leaf_ports": 8, "pod_leaves": 2)"));
  EXPECT_EQ(fabric_links(tree).count, 2u * (4 * 8 + 2 * 8 * 2));
  EXPECT_EQ(hops(tree, 0, 8), 2) << "inside a pod";
  EXPECT_EQ(hops(tree, 0, 16), 4) << "by way of a core";
}

// 2 pods of 2 nodes with 8 leaves each, which have 2 ports down and 2 up.
TEST(Fabrics, WithRailsKeepARailOnItsLeaf) {
  const Platform rails = machine(a100(4, R"("rail_optimized", "pod_nodes": 2)"));
  EXPECT_EQ(fabric_links(rails).count, 2u * (2 * 8) * 2);
  EXPECT_EQ(hops(rails, 3, 8 + 3), 0) << "same rail, same pod";
  EXPECT_EQ(hops(rails, 3, 8 + 4), 2) << "another rail";
  EXPECT_EQ(hops(rails, 3, 16 + 3), 2) << "another pod";
}

// 2 NICs a router, 4 routers a group, 32 ports in 4 groups: 6 links inside each, floor(4 * 2 / 3) between every two.
TEST(Fabrics, OfADragonflyJoinAllRoutersOfAGroupAndAllGroups) {
  const Platform dragonfly = machine(a100(4, R"("dragonfly")"));
  EXPECT_DOUBLE_EQ(fabric_links(dragonfly).bandwidth, 2 * (4 * 6 + 6 * 2) * kNic);
  // A group has the ports of a node. Routes are minimal: a link inside either group and one of 450 ns between them.
  for (int to = 8; to < 32; ++to) {
    const long crossed = hops(dragonfly, 0, to);
    EXPECT_LE(crossed, 3);
    EXPECT_NEAR(dragonfly.route(0, to).latency.value(), 14e-6 + static_cast<double>(crossed - 1) * 150e-9 + 450e-9,
                1e-12);
  }
}

TEST(Fabrics, OfATorusAreItsGrid) {
  const auto grid = [](const std::string& fabric, int nodes) {
    return machine(
        fmt::format(R"({{"topology": "a40_pcie", "nodes": {}, "gpus_per_node": 1, "fabric": "{}"}})", nodes, fabric));
  };
  const Platform flat = grid("torus2d", 16), cube = grid("torus3d", 27), small = grid("torus3d", 8);
  EXPECT_EQ(fabric_links(flat).count, 2u * 2 * 16);
  EXPECT_EQ(fabric_links(cube).count, 2u * 3 * 27);
  EXPECT_EQ(fabric_links(small).count, 2u * 12) << "two switches are joined once";
  const auto around = [](int a, int b, int side) { return std::min(std::abs(a - b), side - std::abs(a - b)); };
  for (int a = 0; a < 16; ++a) {
    for (int b = 0; b < 16; ++b) {
      if (a != b) {
        EXPECT_EQ(hops(flat, a, b), around(a / 4, b / 4, 4) + around(a % 4, b % 4, 4)) << a << " " << b;
      }
    }
  }
  EXPECT_EQ(hops(cube, 0, 26), 3) << "around each of the three";
}

// Half of the machine has 2 nodes with 8 NICs; what goes up from its leaves is the ratio less.
TEST(Fabrics, HaveTheirBisectionDividedByTheOversubscription) {
  for (const std::string tree : {R"("fat_tree2", "leaf_ports": 8)", R"("fat_tree3", "leaf_ports": 8, "pod_leaves": 2)",
                                 R"("rail_optimized", "pod_nodes": 2)"}) {
    for (const double ratio : {1.0, 2.0}) {
      const Platform platform = machine(a100(4, fmt::format("{}, \"oversubscription\": {}", tree, ratio)));
      EXPECT_DOUBLE_EQ(bisection_bandwidth(platform).value(), 16 * kNic / ratio) << tree << " " << ratio;
    }
  }
}

// 8 ports down at 3 to 1 are 8/3 ports up: three links of 8/9 of a port.
TEST(Fabrics, MakeUplinksNarrowerWhereARatioIsNotWhole) {
  const Platform tree = machine(a100(4, R"("fat_tree2", "leaf_ports": 8, "oversubscription": 3)"));
  EXPECT_EQ(fabric_links(tree).count, 2u * 4 * 3);
  EXPECT_NEAR(fabric_links(tree).bandwidth, 2 * 4 * 8 * kNic / 3, 1);
}

TEST(Fabrics, FitAnySizeByThemselves) {
  for (const FabricDef& fabric : fabrics()) {
    for (const int nodes : {1, 2, 5, 17}) {
      const Platform platform = machine(a100(nodes, "\"" + std::string(fabric.name) + "\""));
      EXPECT_EQ(platform.devices().size(), 8 * static_cast<size_t>(nodes)) << fabric.name;
    }
  }
}

}  // namespace
}  // namespace foreflow::platform::fabrics_test
