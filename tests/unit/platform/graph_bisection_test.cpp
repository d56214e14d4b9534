// Cuts of graphs that can be counted by hand.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

#include "foreflow/platform/describe.h"
#include "foreflow/platform/load.h"
#include "platform/capacity/max_flow.h"
#include "support/graph_text.h"

namespace foreflow::platform::graph_bisection_test {
namespace {

using test::GraphText;

double bisection(const GraphText& text) { return bisection_bandwidth(load(text.xml(), "g.xml")).value(); }

TEST(MaxFlow, IsTheSmallestCut) {
  // 0 -> 1 -> 3 and 0 -> 2 -> 3 with a bridge 1 -> 2; the cut {0, 2} | {1, 3} has 3 + 4.
  const std::vector<Pipe> pipes = {{0, 1, 3}, {0, 2, 5}, {1, 2, 9}, {1, 3, 3}, {2, 3, 4}};
  EXPECT_EQ(max_flow(4, pipes, {0}, {3}), 3 + 4);
  EXPECT_EQ(max_flow(4, pipes, {0, 1}, {3}), 3 + 4);
  EXPECT_EQ(max_flow(4, pipes, {3}, {0}), 0);
}

// Servers of two GPUs with an NVSwitch, and a PCIe switch with one NIC.
GraphText servers(int count) {
  GraphText text;
  for (int n = 0; n < count; ++n) {
    for (int g = 0; g < 2; ++g) text.device(fmt::format("n{}g{}", n, g), fmt::format("n{}", n));
    text.router(fmt::format("n{}v", n)).router(fmt::format("n{}p", n));
  }
  text.router("leaf");
  for (int n = 0; n < count; ++n) {
    for (int g = 0; g < 2; ++g) {
      text.cable(fmt::format("n{}g{}", n, g), fmt::format("n{}v", n), "nvlink", 1, "300GBps", "1us");
      text.cable(fmt::format("n{}g{}", n, g), fmt::format("n{}p", n), "pcie", 1, "30GBps", "2us");
    }
    text.cable(fmt::format("n{}p", n), "leaf", "nic", 1, "25GBps", "2us");
  }
  return text;
}

TEST(GraphBisection, CountsOnlyWhatRoutesUse) {
  EXPECT_DOUBLE_EQ(bisection(servers(1)), 300e9);  // not the PCIe switch beside the NVSwitch
}

TEST(GraphBisection, IsThatOfTheWorstHalvesWhereTheyAreFew) {
  // Of two servers the NIC of one; a half of one GPU of each server would have two NVLinks as well.
  EXPECT_DOUBLE_EQ(bisection(servers(2)), 25e9);
  EXPECT_DOUBLE_EQ(bisection(servers(4)), 2 * 25e9);
  EXPECT_EQ(bisection_method(load(servers(6).xml(), "g.xml")), "the least cut of all halves");
}

TEST(GraphBisection, IsThatOfTheHalvesInOrderWhereTheyAreMany) {
  EXPECT_DOUBLE_EQ(bisection(servers(20)), 10 * 25e9);
  EXPECT_EQ(bisection_method(load(servers(7).xml(), "g.xml")),
            "the cut between the first and the second half of the devices");
}

// Servers of sixteen GPUs, and a card from each server to each other one.
GraphText mesh(int count) {
  GraphText text;
  for (int n = 0; n < count; ++n) {
    for (int g = 0; g < 16; ++g) text.device(fmt::format("n{}g{}", n, g), fmt::format("n{}", n));
    text.router(fmt::format("n{}", n));
  }
  for (int n = 0; n < count; ++n) {
    for (int g = 0; g < 16; ++g)
      text.cable(fmt::format("n{}g{}", n, g), fmt::format("n{}", n), "pcie", 1, "900GBps", "1us");
    for (int to = 0; to < n; ++to) text.cable(fmt::format("n{}", n), fmt::format("n{}", to), "nic");
  }
  return text;
}

TEST(GraphBisection, CountsCardsBetweenServersThatAreNoNeighbours) {
  for (const int count : {16, 18}) {  // 256 devices, and more
    const Platform platform = load(mesh(count).xml(), "g.xml");
    EXPECT_EQ(platform.cards().idle, 0);
    EXPECT_DOUBLE_EQ(bisection_bandwidth(platform).value(), count / 2 * (count / 2) * 25e9);
  }
}

// One server of as many devices, each with a card of its own.
TEST(GraphBisection, CountsCardsInsideOfALargeServer) {
  for (const int count : {256, 258}) {
    GraphText text;
    for (int d = 0; d < count; ++d) text.device(fmt::format("d{}", d), "n");
    text.router("leaf");
    for (int d = 0; d < count; ++d) text.cable(fmt::format("d{}", d), "leaf", "nic");
    EXPECT_DOUBLE_EQ(bisection(text), count / 2 * 25e9);
  }
}

// A ring of k routers in every row and column; rows are halves. Wrapping around, 2 k cables cross.
TEST(GraphBisection, OfATorusIsTwoRowsOfCables) {
  for (const int k : {3, 4, 6}) {
    GraphText text;
    for (int i = 0; i < k * k; ++i)
      text.device(fmt::format("d{}", i), fmt::format("d{}", i)).router(fmt::format("r{}", i));
    for (int i = 0; i < k * k; ++i) {
      const int row = i / k, column = i % k;
      text.cable(fmt::format("d{}", i), fmt::format("r{}", i), "nic", 1, "100GBps", "1us");
      text.cable(fmt::format("r{}", i), fmt::format("r{}", row * k + (column + 1) % k), "fabric", 1, "1GBps", "1us");
      text.cable(fmt::format("r{}", i), fmt::format("r{}", (row + 1) % k * k + column), "fabric", 1, "1GBps", "1us");
    }
    // An odd k cuts one row in two: one cable more, and one that wraps around in that row.
    EXPECT_DOUBLE_EQ(bisection(text), (k % 2 == 0 ? 2 * k : 2 * k + 2) * 1e9) << k;
  }
}

// Two leaves of eight devices of 25 GB/s under two spines of 50 GB/s: 2 to 1.
TEST(GraphBisection, OfAnOversubscribedTreeIsWhatGoesUp) {
  GraphText text;
  for (int i = 0; i < 16; ++i) text.device(fmt::format("d{}", i), fmt::format("d{}", i));
  text.router("l0").router("l1").router("s0").router("s1");
  for (int i = 0; i < 16; ++i) text.cable(fmt::format("d{}", i), fmt::format("l{}", i / 8), "nic");
  for (const std::string leaf : {"l0", "l1"}) {
    for (const std::string spine : {"s0", "s1"}) text.cable(leaf, spine, "fabric", 1, "50GBps", "1us");
  }
  EXPECT_DOUBLE_EQ(bisection(text), 2 * 50e9);
}

}  // namespace
}  // namespace foreflow::platform::graph_bisection_test
