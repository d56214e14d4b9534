#include "stream/rings.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/platform/load.h"
#include "foreflow/stream/task.h"
#include "support/cluster.h"

namespace foreflow::stream::rings_test {
namespace {

using Orders = std::vector<std::vector<int>>;

// The picture in rings.h.
TEST(Rings, AlternateTheirDirectionFromNodeToNode) {
  const auto rings = rings_between({{0, 1, 2, 3}, {4, 5, 6, 7}}, {0, 1, 2, 3, 0, 1, 2, 3});
  ASSERT_EQ(rings.size(), 4U);
  EXPECT_EQ(rings[0], (std::vector<int>{0, 1, 2, 3, 7, 6, 5, 4}));
  EXPECT_EQ(rings[1], (std::vector<int>{1, 2, 3, 0, 4, 7, 6, 5}));
}

TEST(Rings, CrossEachNicOnceEachWayAndStayOnTheirRails) {
  const auto platform = test::cluster(test::in_nodes_of(4, 24));
  std::vector<int> places;
  for (int i = 0; i < 24; ++i) places.push_back(i);
  const auto& ring = collective::default_algorithm(collective::Kind::all_reduce);
  const auto group = place(platform, ring, collective::Kind::all_reduce, Bytes(1e6), places).task.group;
  ASSERT_EQ(group.rings.size(), 4U);
  std::map<int, int> out, in;
  for (const auto& order : group.rings) {
    EXPECT_EQ(std::set<int>(order.begin(), order.end()).size(), 24U);
    for (size_t i = 0; i < order.size(); ++i) {
      const int from = order[i], to = order[(i + 1) % order.size()];
      if (from / 4 == to / 4) continue;
      ++out[from], ++in[to];
      EXPECT_EQ(from % 4, to % 4) << from << " -> " << to << " leaves its rail";
    }
  }
  for (int rank = 0; rank < 24; ++rank) EXPECT_EQ(out[rank] * 10 + in[rank], 11) << rank;
}

TEST(Rings, HaveOneChannelWhereTheNodesHaveOneNic) {
  test::Ports ports;
  ports.devices_per_nic = 99;
  const auto platform   = test::cluster({0, 0, 1, 1, 1}, ports);
  const auto& ring      = collective::default_algorithm(collective::Kind::all_reduce);
  const auto group      = place(platform, ring, collective::Kind::all_reduce, Bytes(1e6), {0, 1, 2, 3, 4}).task.group;
  EXPECT_EQ(group.rings, (Orders{{0, 1, 4, 3, 2}}));
  EXPECT_EQ(group.rail, (std::vector<int>(5, 0)));
}

// Six NVLinks of 25 GB/s each way: NCCL finds the same, two rings over double links and one over single ones, both
// ways.
TEST(Rings, UseAllNvlinksOfAHybridCubeMesh) {
  const auto platform = platform::make(platform::topologies().get("dgx1", "test"), 1);
  const auto& ring    = collective::default_algorithm(collective::Kind::all_reduce);
  const Bytes bytes(1e9);
  const auto placed = place(platform, ring, collective::Kind::all_reduce, bytes, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(placed.task.group.rings.size(), 6U);
  std::map<int, double> load;
  const auto plan = ring.flows(placed.task);
  for (const auto& flow : plan.phases.front().flows) {
    const auto route = platform.route(flow.from, flow.to);
    for (const int link : route.links) {
      EXPECT_EQ(nth(platform.links(), link).kind, "nvlink");
      load[link] += flow.share;
    }
  }
  double slowest = 0;
  for (const auto& [link, share] : load)
    slowest = std::max(slowest, (share * bytes / nth(platform.links(), link).bandwidth).value());
  EXPECT_NEAR(slowest, 2 * 7.0 / 8 * 1e9 / 150e9, 1e-12);
  EXPECT_NEAR(closed_form(ring, placed.task).transfer.value(), slowest, 1e-12);
}

TEST(Rings, FollowTheOrderOfTheDevicesBehindASwitch) {
  const auto platform = test::cluster(test::in_nodes_of(4, 4));
  EXPECT_EQ(rings_in_node(platform, {2, 0, 3, 1}).orders, (Orders{{1, 3, 0, 2}}));
}

TEST(Tasks, KnowWhatLinksCanDo) {
  auto plain                        = test::cluster(test::in_nodes_of(2, 4));
  std::vector<platform::Link> links = plain.links();
  std::vector<platform::Route> routes;
  for (int from = 0; from < 4; ++from) {
    for (int to = 0; to < 4; ++to) routes.push_back(from == to ? platform::Route{} : plain.route(from, to));
  }
  for (platform::Link& link : links) {
    link.efficiency   = 0.8;
    link.step_latency = Seconds(1e-6);
    link.in_switch    = true;
    link.channels     = 1;
  }
  const platform::Platform platform("able", plain.devices(), links, routes);
  const auto& ring = collective::default_algorithm(collective::Kind::all_reduce);
  const auto task  = place(platform, ring, collective::Kind::all_reduce, Bytes(1e6), {0, 1, 2, 3}).task;
  EXPECT_DOUBLE_EQ(task.near.bandwidth.value(), 0.8 * 300e9);
  EXPECT_DOUBLE_EQ(task.far.bandwidth.value(), 0.8 * 25e9);
  EXPECT_DOUBLE_EQ(task.near.latency.value(), 5e-6);
  EXPECT_DOUBLE_EQ(task.far.latency.value(), 16e-6);
  EXPECT_EQ(task.group.rings.size(), 1U);
  EXPECT_TRUE(task.group.sharp);
  EXPECT_FALSE(task.group.nvls);
  EXPECT_TRUE(place(platform, ring, collective::Kind::all_reduce, Bytes(1e6), {0, 1}).task.group.nvls);
  EXPECT_FALSE(place(plain, ring, collective::Kind::all_reduce, Bytes(1e6), {0, 1}).task.group.nvls);
}

// Two of the six rings of the mesh, of 25 GB/s each.
TEST(Tasks, CountOnlyTheChannelsThatLinksCarry) {
  const auto mesh                   = platform::make(platform::topologies().get("dgx1", "test"), 1);
  std::vector<platform::Link> links = mesh.links();
  std::vector<platform::Route> routes;
  for (int from = 0; from < 8; ++from) {
    for (int to = 0; to < 8; ++to) routes.push_back(from == to ? platform::Route{} : mesh.route(from, to));
  }
  for (platform::Link& link : links) link.channels = 2;
  const platform::Platform platform("two channels", mesh.devices(), links, routes);
  const auto& ring = collective::default_algorithm(collective::Kind::all_reduce);
  const auto task  = place(platform, ring, collective::Kind::all_reduce, Bytes(1e6), {0, 1, 2, 3, 4, 5, 6, 7}).task;
  EXPECT_EQ(task.group.rings.size(), 2U);
  EXPECT_DOUBLE_EQ(task.near.bandwidth.value(), 50e9);
}

}  // namespace
}  // namespace foreflow::stream::rings_test
