// Cycles among things that depend on each other.
#include "foreflow/ir/cycle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "foreflow/base/nth.h"

namespace foreflow::ir::cycle_test {
namespace {

using Graph    = std::vector<std::vector<int32_t>>;
using Vertices = std::vector<int32_t>;

TEST(FindCycle, IsEmptyWithoutOne) {
  EXPECT_EQ(find_cycle({}), Vertices());
  EXPECT_EQ(find_cycle({{1, 2}, {2}, {}}), Vertices());
}

TEST(FindCycle, BeginsAtTheLowestVertexAndIsShort) {
  EXPECT_EQ(find_cycle({{0}}), Vertices{0});
  EXPECT_EQ(find_cycle({{1}, {2, 3}, {3}, {1}}), (Vertices{1, 3}));
  EXPECT_EQ(find_cycle({{2}, {0}, {3}, {4, 1}, {2}}), (Vertices{0, 2, 3, 1}));
}

// Edges from lower to higher vertices close no cycle; one back closes all paths between its ends.
TEST(FindCycle, IsACycleOfRandomGraphs) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    const int32_t count = 2 + round % 30;
    const auto vertex   = [&] { return std::uniform_int_distribution<int32_t>(0, count - 1)(random); };
    Graph forward(static_cast<size_t>(count));
    for (int edge = 0; edge < 2 * count; ++edge) {
      const int32_t a = vertex(), b = vertex();
      if (a != b) nth(forward, std::min(a, b)).push_back(std::max(a, b));
    }
    ASSERT_TRUE(find_cycle(forward).empty());
    Graph graph = forward;
    for (int edge = 0; edge < 3; ++edge) nth(graph, vertex()).push_back(vertex());
    const Vertices cycle = find_cycle(graph);
    for (size_t i = 0; i < cycle.size(); ++i) {
      const auto& successors = nth(graph, cycle[i]);
      EXPECT_NE(std::find(successors.begin(), successors.end(), cycle[(i + 1) % cycle.size()]), successors.end());
    }
    // Removing what leads to no cycle leaves something exactly when there is one.
    std::vector<bool> gone(graph.size());
    for (size_t sweep = 0; sweep < graph.size(); ++sweep) {
      for (size_t v = 0; v < graph.size(); ++v) {
        gone[v] = std::all_of(graph[v].begin(), graph[v].end(), [&](int32_t next) { return nth(gone, next); });
      }
    }
    EXPECT_EQ(cycle.empty(), std::count(gone.begin(), gone.end(), true) == count);
  }
}

}  // namespace
}  // namespace foreflow::ir::cycle_test
