// Machines by rule that are too large to be listed.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/platform/by_node.h"
#include "support/recipe_text.h"

namespace foreflow::platform::ruled_test {
namespace {

const Platform& machine() {
  static const Platform made =
      test::machine(R"({"topology": "dgx_h100", "nodes": 16384, "fabric": "fat_tree3", "links": {
          "node16383-gpu7-nvlink": {"bandwidth": "1GBps"}}})");
  return made;
}

std::vector<std::string> crossed(int from, int to) {
  std::vector<std::string> kinds;
  for (const int link : machine().route(from, to).links)
    kinds.push_back(machine().links().like(static_cast<size_t>(link)).kind);
  return kinds;
}

TEST(Ruled, CountsWithoutListing) {
  EXPECT_EQ(machine().devices().size(), 131072U);
  EXPECT_EQ(machine().nodes(), 16384);
  EXPECT_EQ(machine().devices().kinds().size(), 1U);
  EXPECT_EQ(machine().node(131071), 16383);
  // 24 cables for each server, 64 for each of 2048 leaves, 64 for each of 64 spines in 32 pods, which are all equal.
  EXPECT_EQ(machine().links().size(), 2U * (24 * 16384 + 64 * 2048 + 64 * 64 * 32));
}

TEST(Ruled, NamesAndNumbersAreInverse) {
  EXPECT_EQ(machine().devices()[131071].name, "node16383-gpu7");
  EXPECT_EQ(machine().devices()[131071].node, "node16383");
  EXPECT_EQ(machine().find_device("node16383-gpu7"), 131071);
  EXPECT_EQ(machine().find_device("node16384-gpu0"), std::nullopt);
  for (const char* name : {"node77-gpu3-pcie_DOWN", "node12345-nic6_UP", "pod31-spine63-core4095_UP"}) {
    const auto link = machine().find_link(name);
    ASSERT_TRUE(link.has_value()) << name;
    EXPECT_EQ(nth(machine().links(), *link).name, name);
  }
  EXPECT_EQ(machine().find_link("pod31-spine63-core0_UP"), std::nullopt);
}

TEST(Ruled, AnItemKeepsItsAddress) {
  const Platform copy  = machine();
  const Device& device = machine().devices()[65536];
  EXPECT_EQ(&device, &machine().devices()[65536]);
  EXPECT_EQ(&device, &copy.devices()[65536]);
}

TEST(Ruled, RoutesCrossTheLevelsOfTheFabric) {
  using Kinds = std::vector<std::string>;
  EXPECT_EQ(crossed(0, 1), (Kinds{"nvlink", "nvlink"}));
  EXPECT_EQ(crossed(0, 8), (Kinds{"pcie", "nic", "nic", "pcie"}));
  EXPECT_EQ(crossed(0, 64), (Kinds{"pcie", "nic", "fabric", "fabric", "nic", "pcie"}));
  EXPECT_EQ(crossed(0, 131071), (Kinds{"pcie", "nic", "fabric", "fabric", "fabric", "fabric", "nic", "pcie"}));
}

TEST(Ruled, AChangedLinkIsOfAKindOfItsOwn) {
  const auto nvlink = [](const char* name) { return machine().find_link(name).value(); };
  const int changed = machine().link_kind(nvlink("node16383-gpu7-nvlink_UP"));
  EXPECT_EQ(changed, machine().link_kind(nvlink("node16383-gpu7-nvlink_DOWN")));
  EXPECT_NE(changed, machine().link_kind(nvlink("node16383-gpu6-nvlink_UP")));
  EXPECT_EQ(nth(machine().links().kinds(), changed).bandwidth, BytesPerSecond(1e9));
  EXPECT_EQ(machine().link_kind(nvlink("node0-gpu0-nvlink_UP")), machine().link_kind(nvlink("node9-gpu6-nvlink_UP")));
}

TEST(Ruled, ServersAreKnownByNumber) {
  const auto nodes = by_node(machine(), {131071, 0, 131070, 1, 8});
  EXPECT_EQ(nodes, (std::vector<std::vector<int>>{{0, 2}, {1, 3}, {4}}));
}

}  // namespace
}  // namespace foreflow::platform::ruled_test
