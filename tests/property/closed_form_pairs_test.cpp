// What the tuning model counts without listing it, against the messages one by one.
#include <gtest/gtest.h>

#include "collective/all_pairs.h"
#include "collective/layout.h"

namespace foreflow::collective::closed_form_pairs_test {
namespace {

// Nodes of unequal sizes; every other one has a NIC for two ranks.
Task task_of(Kind kind, const std::vector<int>& sizes) {
  Group group;
  for (size_t node = 0; node < sizes.size(); ++node) {
    for (int i = 0; i < sizes[node]; ++i) {
      group.node.push_back(static_cast<int>(node));
      group.rail.push_back(node % 2 == 0 ? i : i / 2);
    }
  }
  group.ranks = static_cast<int>(group.node.size());
  return {kind,
          std::move(group),
          Bytes(3e7),
          {Seconds(3e-6), BytesPerSecond(300e9)},
          {Seconds(7e-6), BytesPerSecond(25e9)}};
}

const std::vector<std::vector<int>> kNodes = {{2}, {5}, {1, 1}, {1, 1, 1}, {4, 4}, {3, 1, 2}, {2, 2, 2}, {8, 8, 7}};

TEST(AllPairs, SayInBriefWhatTheFlowsSay) {
  size_t seen = 0;
  for (const AlgorithmDef& row : algorithms()) {
    for (const Kind kind : row.kinds) {
      for (const auto& sizes : kNodes) {
        const Task task = task_of(kind, sizes);
        if (row.name == "auto" || !row.supports_task(task)) continue;
        const auto pairs = all_pairs(row, task);
        if (!pairs) continue;
        ++seen;
        const auto plan = row.flows(task);
        ASSERT_EQ(plan.phases.size(), 1U);
        const Phase& phase = plan.phases.front();
        EXPECT_EQ(phase.near_steps, pairs->near_steps);
        EXPECT_EQ(phase.far_steps, pairs->far_steps);
        EXPECT_EQ(phase.head, 0);
        EXPECT_EQ(phase.flows.size(),
                  static_cast<size_t>(task.group.ranks) * static_cast<size_t>(task.group.ranks - 1));
        for (const Flow& flow : phase.flows) EXPECT_EQ(flow.share, pairs->share);
      }
    }
  }
  EXPECT_EQ(seen, 4 * kNodes.size());  // direct: three kinds; pairwise: one
}

// A copy of the row that does not say so goes the long way; to the last bit.
TEST(AllPairs, ClosedFormsCountAsPortsAddUp) {
  for (const char* name : {"direct", "pairwise"}) {
    for (const Kind kind : {Kind::all_to_all, Kind::reduce_scatter, Kind::all_gather}) {
      for (const auto& sizes : kNodes) {
        const Task task         = task_of(kind, sizes);
        const AlgorithmDef& row = algorithms().get(name, "test");
        if (!row.supports_task(task)) continue;
        AlgorithmDef listed    = row;
        listed.all_pairs_steps = nullptr;
        ASSERT_NE(row.all_pairs_steps, nullptr);
        const Cost brief = closed_form(row, task), full = closed_form(listed, task);
        EXPECT_EQ(brief.latency, full.latency);
        EXPECT_EQ(brief.transfer, full.transfer);
      }
    }
  }
}

// Halving and doubling write their messages without their chunks.
TEST(AllPairs, ExchangesAreThoseOfTheirPlans) {
  for (const char* name : {"halving_doubling", "recursive"}) {
    for (const Kind kind : {Kind::all_reduce, Kind::reduce_scatter, Kind::all_gather}) {
      for (const auto& sizes : kNodes) {
        const Task task         = task_of(kind, sizes);
        const AlgorithmDef& row = algorithms().get(name, "test");
        if (!row.supports_task(task)) continue;
        const FlowPlan brief = row.flows(task), full = stepwise(row.plan(task), task);
        ASSERT_EQ(print(brief), print(full));
        for (size_t i = 0; i < full.phases.size(); ++i) {
          for (size_t k = 0; k < full.phases[i].flows.size(); ++k)
            EXPECT_EQ(brief.phases[i].flows[k].share, full.phases[i].flows[k].share);  // to the last bit
        }
      }
    }
  }
}

}  // namespace
}  // namespace foreflow::collective::closed_form_pairs_test
