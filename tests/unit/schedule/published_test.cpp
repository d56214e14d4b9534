// Published totals and orders, by hand: what the papers' repositories, notes and exact replays state (sources in the
// comments of each schedule).
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/schedule/measure.h"

namespace foreflow::schedule::published_test {
namespace {

Plan planned(std::string_view name, int devices, int microbatches, std::optional<int> virtual_stages = {}) {
  const ScheduleDef& row = schedules().get(name, "test");
  return plan(row, checked_size(row, devices, microbatches, virtual_stages, "test"));
}

Measures measured(const Plan& plan, const Costs& costs = {}) { return measure(plan, play(plan, costs), costs); }

double makespan(std::string_view name, int devices, int microbatches, const Costs& costs = {},
                std::optional<int> virtual_stages = {}) {
  return measured(planned(name, devices, microbatches, virtual_stages), costs).makespan;
}

double max_span(std::string_view name, int devices, int microbatches, const Costs& costs) {
  const auto spans = measured(planned(name, devices, microbatches), costs).span_per_stage;
  return *std::max_element(spans.begin(), spans.end());
}

std::string text(const std::vector<Task>& tasks) {
  std::string line;
  for (const Task& task : tasks) line += (line.empty() ? "" : task.joined ? "&" : " ") + label(task);
  return line;
}

std::string order_of(std::string_view name, int devices, int microbatches, size_t device) {
  return text(planned(name, devices, microbatches).order[device]);
}

using Peaks = std::vector<int>;

TEST(Published, OrdersOfDevices) {
  EXPECT_TRUE(order_of("1f1b", 4, 8, 0).starts_with("F0 F1 F2 F3 B0 F4 B1"));
  EXPECT_EQ(order_of("eager_1f1b", 4, 8, 0), "F0 F1 F2 F3 F4 F5 F6 B0 F7 B1 B2 B3 B4 B5 B6 B7");
  EXPECT_TRUE(order_of("zb_h1", 4, 8, 2).starts_with("F0 F1 I0 F2 I1 F3 I2 W0 F4 I3 W1"));
  EXPECT_EQ(order_of("dualpipe", 4, 8, 0), "F0 F1 F2 F0' I0' W0' F1' F3&B1' F2'&B0 B2' F3'&B1 B3' I2 W2 I3 W3");
}

TEST(Published, TotalsOfHalvesThatTakeTwoForwards) {
  for (const char* name : {"gpipe", "1f1b", "eager_1f1b"}) EXPECT_EQ(makespan(name, 4, 8), 33) << name;
  for (const char* name : {"interleaved_1f1b", "looped_bfs"}) {
    EXPECT_EQ(makespan(name, 4, 8, {}, 2), 28.5) << name;
    EXPECT_EQ(makespan(name, 4, 8, {}, 4), 26.25) << name;
  }
  EXPECT_EQ(makespan("chimera", 4, 4), 16);
  EXPECT_EQ(makespan("chimera", 4, 8), 30);
  EXPECT_EQ(makespan("chimera", 4, 12), 44);
  EXPECT_EQ(makespan("chimera", 6, 6), 26);
  EXPECT_EQ(makespan("chimera", 8, 8), 36);
  EXPECT_EQ(makespan("inference", 4, 8), 11);
}

TEST(Published, TotalsWhereABackwardTakesOneForward) {
  const Costs equal = whole_costs(1, 1);
  for (const char* name : {"gpipe", "1f1b", "eager_1f1b"}) EXPECT_EQ(makespan(name, 4, 8, equal), 22) << name;
  EXPECT_EQ(makespan("interleaved_1f1b", 4, 8, equal, 2), 19);
  EXPECT_EQ(makespan("interleaved_1f1b", 4, 8, equal, 4), 17.5);
  EXPECT_EQ(makespan("chimera", 4, 4, equal), 10);
  EXPECT_EQ(makespan("chimera", 4, 8, equal), 18);
  EXPECT_EQ(makespan("chimera", 4, 12, equal), 26);
  EXPECT_EQ(makespan("chimera", 6, 6, equal), 16);
  EXPECT_EQ(makespan("chimera", 8, 8, equal), 22);
}

TEST(Published, TotalsOfSplitBackwards) {
  EXPECT_EQ(makespan("zb_h1", 4, 8), 27);
  EXPECT_EQ(makespan("zb_h2", 4, 8), 27);
  EXPECT_EQ(makespan("zb_v", 4, 8), 25.5);
  // The zero-bubble authors' own scheduler on the same inputs.
  EXPECT_EQ(max_span("zb_h1", 4, 8, {}), 27);
  EXPECT_EQ(max_span("zb_h2", 4, 8, {}), 24);
  EXPECT_EQ(max_span("zb_v", 4, 8, {}), 24);
  EXPECT_EQ(max_span("zb_h1", 8, 24, {}), 79);
  EXPECT_EQ(max_span("zb_h2", 8, 24, {}), 72);
  EXPECT_EQ(max_span("zb_v", 8, 24, {}), 72);
  EXPECT_EQ(makespan("dualpipe", 4, 8), 26);
  EXPECT_EQ(makespan("dualpipe", 4, 10), 32);
  EXPECT_EQ(makespan("dualpipe", 8, 20), 66);
  EXPECT_EQ(makespan("dualpipe_v", 4, 8), 27);
}

TEST(Published, BubblesOfUnequalHalves) {
  const auto bubble = [](const char* name, const Costs& costs) {
    return max_span(name, 4, 8, costs) - 8 * (costs.forward + costs.backward());
  };
  EXPECT_EQ(bubble("zb_h1", {2, 2, 1}), 9);
  EXPECT_EQ(bubble("zb_h2", {2, 2, 1}), 6);
  EXPECT_EQ(bubble("zb_h1", {3, 4, 2}), 15);
  EXPECT_EQ(bubble("zb_h2", {3, 4, 2}), 9);
  // A replay of DualPipe with an input gradient of two forwards is one unit below its formula, 3 for 4.
  EXPECT_EQ(bubble("dualpipe", {1, 2, 1}), 3);
}

TEST(Published, TotalsWithLatency) {
  struct Row {
    double hop, one_f_one_b, eager, gpipe;
  };
  for (const Row& row : {Row{0.5, 41, 36, 36}, {1, 49, 39, 39}, {1.5, 57, 42, 42}, {2, 65, 48, 45}}) {
    EXPECT_EQ(makespan("1f1b", 4, 8, {.hop = row.hop}), row.one_f_one_b) << row.hop;
    EXPECT_EQ(makespan("eager_1f1b", 4, 8, {.hop = row.hop}), row.eager) << row.hop;
    EXPECT_EQ(makespan("gpipe", 4, 8, {.hop = row.hop}), row.gpipe) << row.hop;
  }
  for (const Row& row : {Row{0.5, 115, 100, 0}, {1, 131, 101, 0}, {2, 163, 113, 0}}) {
    EXPECT_EQ(makespan("1f1b", 2, 32, {.hop = row.hop}), row.one_f_one_b) << row.hop;
    EXPECT_EQ(makespan("eager_1f1b", 2, 32, {.hop = row.hop}), row.eager) << row.hop;
  }
}

TEST(Published, PeaksInFlight) {
  const auto peaks = [](const char* name) { return measured(planned(name, 4, 8)).peak_in_flight; };
  EXPECT_EQ(peaks("gpipe"), (Peaks{8, 8, 8, 8}));
  EXPECT_EQ(peaks("1f1b"), (Peaks{4, 3, 2, 1}));
  EXPECT_EQ(peaks("eager_1f1b"), (Peaks{7, 5, 3, 1}));
  EXPECT_EQ(peaks("interleaved_1f1b"), (Peaks{11, 9, 7, 5}));
  EXPECT_EQ(peaks("looped_bfs"), (Peaks{16, 16, 16, 16}));
  EXPECT_EQ(peaks("zb_h1"), (Peaks{4, 4, 4, 4}));
  EXPECT_EQ(peaks("zb_h2"), (Peaks{7, 7, 7, 7}));
  EXPECT_EQ(peaks("zb_v"), (Peaks{8, 8, 8, 8}));
  EXPECT_EQ(peaks("chimera"), (Peaks{3, 4, 4, 3}));
  EXPECT_EQ(peaks("dualpipe"), (Peaks{5, 5, 5, 5}));
  EXPECT_EQ(peaks("dualpipe_v"), (Peaks{9, 9, 9, 9}));
}

// What Megatron-LM calls the memory penalty of interleaving: 1 + (P-1)/(Pv) times the P stages of 1F1B.
TEST(Published, PenaltyOfInterleaving) {
  for (const int v : {2, 3, 4}) {
    EXPECT_EQ(measured(planned("interleaved_1f1b", 8, 24, v)).peak_in_flight[0], 8 * (v + 1) - 1);
  }
}

}  // namespace
}  // namespace foreflow::schedule::published_test
