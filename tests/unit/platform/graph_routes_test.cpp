// The way of a message through small graphs, drawn by hand.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/platform/describe.h"
#include "foreflow/platform/load.h"
#include "support/graph_text.h"

namespace foreflow::platform::graph_routes_test {
namespace {

using test::GraphText;
using Names = std::vector<std::string>;

Names route(const Platform& platform, const std::string& from, const std::string& to) {
  Names names;
  const Route route = platform.route(device_index(platform, from), device_index(platform, to));
  for (const int link : route.links) names.push_back(nth(platform.links(), link).name);
  return names;
}

std::string refusal(const GraphText& text) {
  try {
    load(text.xml(), "g.xml");
  } catch (const Error& error) {
    return error.what();
  }
  return "was accepted";
}

TEST(GraphRoutes, AnNvswitchIsNoLink) {
  GraphText text;
  for (const std::string gpu : {"a", "b", "c"}) text.device(gpu, "n");
  text.router("s").cable("a", "s", "nvlink").cable("b", "s", "nvlink").cable("c", "s", "nvlink");
  const Platform platform = load(text.xml(), "g.xml");
  EXPECT_EQ(platform.links().size(), 6u);
  EXPECT_EQ(route(platform, "a", "c"), (Names{"a-s_UP", "c-s_DOWN"}));
  EXPECT_DOUBLE_EQ(platform.route(0, 2).latency.value(), 2e-6);
  EXPECT_TRUE(platform.route(1, 1).links.empty());
  ASSERT_NE(platform.graph(), nullptr);
  EXPECT_EQ(platform.graph()->vertices.size(), 4u);
}

// a == b == c with NVLink between neighbours only, and all three on one PCIe switch.
TEST(GraphRoutes, DevicesForwardNothing) {
  GraphText text;
  for (const std::string gpu : {"a", "b", "c"}) text.device(gpu, "n");
  text.router("s").cable("a", "b", "nvlink").cable("b", "c", "nvlink");
  for (const std::string gpu : {"a", "b", "c"}) text.cable(gpu, "s", "pcie", 1, "15GBps", "10us");
  const Platform platform = load(text.xml(), "g.xml");
  EXPECT_EQ(route(platform, "a", "b"), (Names{"a-b_UP"}));
  EXPECT_EQ(route(platform, "c", "b"), (Names{"b-c_DOWN"}));
  EXPECT_EQ(route(platform, "a", "c"), (Names{"a-s_UP", "c-s_DOWN"}));
}

TEST(GraphRoutes, TakeNvlinkThoughPcieHasLessLatency) {
  GraphText text;
  for (const std::string gpu : {"a", "b", "c"}) text.device(gpu, "n");
  text.router("s").cable("a", "b", "nvlink").cable("b", "c", "nvlink");
  for (const std::string gpu : {"a", "b", "c"}) text.cable(gpu, "s", "pcie", 1, "15GBps", "10ns");
  const Platform platform = load(text.xml(), "g.xml");
  EXPECT_EQ(route(platform, "a", "b"), (Names{"a-b_UP"}));
  EXPECT_EQ(route(platform, "c", "b"), (Names{"b-c_DOWN"}));
  EXPECT_EQ(route(platform, "a", "c"), (Names{"a-s_UP", "c-s_DOWN"}));
}

// Two PCIe switches on one root, a NIC on each switch:
//   a, b -- s0 --nic-- leaf      s0, s1 -- root      the same in node m
//   c, d -- s1 --nic-- leaf
GraphText two_nodes_of_two_nics() {
  GraphText text;
  for (const std::string node : {"n", "m"}) {
    for (const std::string gpu : {"a", "b", "c", "d"}) text.device(node + gpu, node);
  }
  text.router("leaf");
  for (const std::string node : {"n", "m"}) {
    for (const std::string router : {"s0", "s1", "root"}) text.router(node + router);
    for (const std::string gpu : {"a", "b", "c", "d"}) text.cable(node + gpu, node + (gpu < "c" ? "s0" : "s1"), "pcie");
    for (const std::string router : {"s0", "s1"})
      text.cable(node + router, node + "root", "host").cable(node + router, "leaf", "nic");
  }
  return text;
}

TEST(GraphRoutes, UseTheNicNextToEachGpu) {
  const Platform platform = load(two_nodes_of_two_nics().xml(), "g.xml");
  EXPECT_EQ(route(platform, "na", "ma"), (Names{"na-ns0_UP", "ns0-leaf_UP", "ms0-leaf_DOWN", "ma-ms0_DOWN"}));
  EXPECT_EQ(route(platform, "nb", "mc"), (Names{"nb-ns0_UP", "ns0-leaf_UP", "ms1-leaf_DOWN", "mc-ms1_DOWN"}));
  EXPECT_EQ(route(platform, "md", "nd"), (Names{"md-ms1_UP", "ms1-leaf_UP", "ns1-leaf_DOWN", "nd-ns1_DOWN"}));
}

TEST(GraphRoutes, StayInsideAServerOnItsSharedUplinks) {
  const Platform platform = load(two_nodes_of_two_nics().xml(), "g.xml");
  const Names up_and_down = {"na-ns0_UP", "ns0-nroot_UP", "ns1-nroot_DOWN", "nc-ns1_DOWN"};
  EXPECT_EQ(route(platform, "na", "nc"), up_and_down);
  EXPECT_EQ(route(platform, "nb", "nd")[1], up_and_down[1]);
  EXPECT_EQ(route(platform, "na", "nb"), (Names{"na-ns0_UP", "nb-ns0_DOWN"}));
}

// Four GPUs as far from both NICs of their node.
TEST(GraphRoutes, OfEqualNicsTheRailDecides) {
  GraphText text;
  text.device("n0", "n").device("n1", "n").device("m0", "m").device("m7", "m", test::prop("rail", "7"));
  text.router("ns").router("ms").router("leaf0").router("leaf1").router("spine");
  text.cable("n0", "ns", "pcie").cable("n1", "ns", "pcie").cable("m0", "ms", "pcie").cable("m7", "ms", "pcie");
  for (const std::string node : {"ns", "ms"}) text.cable(node, "leaf0", "nic").cable(node, "leaf1", "nic");
  text.cable("leaf0", "spine", "fabric").cable("leaf1", "spine", "fabric");
  const Platform platform = load(text.xml(), "g.xml");
  EXPECT_EQ(platform.devices()[1].rail, 1);
  EXPECT_EQ(platform.devices()[3].rail, 7);
  EXPECT_EQ(route(platform, "n0", "m0"), (Names{"n0-ns_UP", "ns-leaf0_UP", "ms-leaf0_DOWN", "m0-ms_DOWN"}));
  EXPECT_EQ(route(platform, "n1", "m7"), (Names{"n1-ns_UP", "ns-leaf1_UP", "ms-leaf1_DOWN", "m7-ms_DOWN"}));
  // Through the spine it would be longer: the sender's rail decides, and the receiver's NIC is the one on that leaf.
  EXPECT_EQ(route(platform, "n1", "m0"), (Names{"n1-ns_UP", "ns-leaf1_UP", "ms-leaf1_DOWN", "m0-ms_DOWN"}));
}

// Two leaves of two devices each, two spines.
GraphText two_spines(const std::string& ecmp) {
  GraphText text;
  text.zone_prop("ecmp", ecmp);
  for (const std::string name : {"a", "b", "c", "d"}) text.device(name, name);
  for (const std::string name : {"l0", "l1", "s0", "s1"}) text.router(name);
  text.cable("a", "l0", "nic").cable("b", "l0", "nic").cable("c", "l1", "nic").cable("d", "l1", "nic");
  for (const std::string leaf : {"l0", "l1"}) text.cable(leaf, "s0", "fabric").cable(leaf, "s1", "fabric");
  return text;
}

TEST(GraphRoutes, DmodkSendsToEveryPortOfALeafOverItsOwnSpine) {
  const Platform platform = load(two_spines("dmodk").xml(), "g.xml");
  for (const std::string from : {"a", "b"}) {
    EXPECT_EQ(route(platform, from, "c")[1], "l0-s0_UP");
    EXPECT_EQ(route(platform, from, "d")[1], "l0-s1_UP");
  }
  EXPECT_EQ(route(platform, "c", "b"), (Names{"c-l1_UP", "l1-s1_UP", "l0-s1_DOWN", "b-l0_DOWN"}));
}

TEST(GraphRoutes, HashingDependsOnBothEnds) {
  const Platform platform = load(two_spines("hash").xml(), "g.xml");
  std::vector<std::string> spines;
  for (const std::string from : {"a", "b", "c", "d"}) {
    for (const std::string to : {"a", "b", "c", "d"}) {
      const Names links = route(platform, from, to);
      if (links.size() == 4) spines.push_back(links[1].substr(3));
    }
  }
  ASSERT_EQ(spines.size(), 8u);
  EXPECT_GT(std::count(spines.begin(), spines.end(), "s0_UP"), 0);
  EXPECT_GT(std::count(spines.begin(), spines.end(), "s1_UP"), 0);
}

// a -- l0 -- m -- l1 -- b: the server of m has two NICs, and is no way from a to b.
TEST(GraphRoutes, ServersForwardNothingForOthers) {
  GraphText text;
  text.device("a", "a").device("b", "b").device("m", "m").router("ms").router("l0").router("l1");
  text.cable("m", "ms", "pcie").cable("ms", "l0", "nic").cable("ms", "l1", "nic");
  text.cable("a", "l0", "nic").cable("b", "l1", "nic");
  EXPECT_EQ(refusal(text),
            "g.xml: no route from device \"a\" to device \"b\": join them by edges and routers (devices, and the "
            "routers of a server, forward nothing for others)");
  text.cable("l0", "l1", "fabric", 1, "1GBps", "1ms");
  const Platform platform = load(text.xml(), "g.xml");
  EXPECT_EQ(route(platform, "a", "b"), (Names{"a-l0_UP", "l0-l1_UP", "b-l1_DOWN"}));
  EXPECT_EQ(route(platform, "m", "b"), (Names{"m-ms_UP", "ms-l1_UP", "b-l1_DOWN"}));
}

TEST(GraphRoutes, ServersMayBeCabledDirectly) {
  GraphText text;
  text.device("a", "n").device("b", "m").router("m0").cable("b", "m0", "pcie").cable("a", "m0", "nic");
  const Platform platform = load(text.xml(), "g.xml");
  EXPECT_EQ(route(platform, "a", "b"), (Names{"a-m0_UP", "b-m0_DOWN"}));
  EXPECT_EQ(route(platform, "b", "a"), (Names{"b-m0_UP", "a-m0_DOWN"}));
}

// Three devices in a row on SHARED links, the last two cabled in two directions by two routes.
TEST(GraphRoutes, CablesMayBeOneLinkForBothWaysOrTwoRoutes) {
  GraphText text;
  text.device("a", "a").device("b", "b").router("s");
  text.raw(
      "<link id=\"bus\" bandwidth=\"1GBps\" latency=\"1us\"/><link id=\"up\" bandwidth=\"2GBps\" latency=\"2us\"/>"
      "<link id=\"down\" bandwidth=\"3GBps\" latency=\"3us\"/>"
      "<route src=\"a\" dst=\"s\"><link_ctn id=\"bus\"/></route>"
      "<route src=\"b\" dst=\"s\" symmetrical=\"NO\"><link_ctn id=\"up\"/></route>"
      "<route src=\"s\" dst=\"b\" symmetrical=\"NO\"><link_ctn id=\"down\"/></route>");
  const Platform platform = load(text.xml(), "g.xml");
  EXPECT_EQ(route(platform, "a", "b"), (Names{"bus", "down"}));
  EXPECT_EQ(route(platform, "b", "a"), (Names{"up", "bus"}));
  EXPECT_DOUBLE_EQ(platform.route(0, 1).latency.value(), 4e-6);
}

TEST(GraphRoutes, PreferLessLatencyThenFewerLinks) {
  GraphText text;
  text.device("a", "a").device("b", "b").router("s").router("t").router("u");
  text.cable("a", "s", "nic").cable("b", "t", "nic").cable("s", "t", "fabric", 1, "1GBps", "2us");
  text.cable("s", "u", "fabric").cable("u", "t", "fabric");
  EXPECT_EQ(route(load(text.xml(), "g.xml"), "a", "b"), (Names{"a-s_UP", "s-t_UP", "b-t_DOWN"}));
  text.router("v").cable("s", "v", "fabric", 1, "1GBps", "900ns").cable("v", "t", "fabric");
  EXPECT_EQ(route(load(text.xml(), "g.xml"), "a", "b"), (Names{"a-s_UP", "s-v_UP", "v-t_UP", "b-t_DOWN"}));
}

}  // namespace
}  // namespace foreflow::platform::graph_routes_test
