// Every algorithm, for every kind that it does, on 2 to 17 ranks in all sorts of nodes: the plan, run on sets of
// contributors, leaves every rank with what the kind promises; the flows agree with the plan, and the simulated time
// with the closed form.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>

#include "foreflow/base/nth.h"
#include "foreflow/collective/collective.h"
#include "foreflow/simulate/simulate.h"
#include "support/collective_tasks.h"
#include "support/machine.h"

namespace foreflow::collective::collectives_test {
namespace {

using stream::Placed;
using test::Layout;

using Contributors = uint32_t;  // a bit for each rank
// buffers[rank or relay][chunk] = the ranks whose data are summed there.
using Buffers = std::vector<std::vector<Contributors>>;

constexpr int kMostRanks = 17;
const Bytes kBytes(64e6 + 1);

Contributors just(int rank) { return Contributors{1} << rank; }
Contributors all_of(int ranks) { return (Contributors{1} << ranks) - 1; }

// The rank whose shard `chunk` belongs to.
int owner(int chunk, int chunks, int ranks) { return chunk * ranks / chunks; }

Contributors initial(Kind kind, int ranks, int chunks, int rank, int chunk) {
  const bool own = owner(chunk, chunks, ranks) == rank;  // of an all-to-all: what it sends to somebody
  switch (kind) {
    case Kind::all_reduce:
    case Kind::reduce_scatter:
    case Kind::reduce: return rank < ranks ? just(rank) : 0;
    case Kind::all_gather:
    case Kind::gather:
    case Kind::all_to_all:
    case Kind::shift: return own ? just(rank) : 0;
    case Kind::send:
    case Kind::broadcast:
    case Kind::scatter: return rank == 0 ? just(0) : 0;
  }
  throw InternalError("a kind without a promise");
}

// Whether the promise of `kind` holds for what `rank` has at last in `chunk`.
bool kept(Kind kind, int ranks, int chunks, int rank, int chunk, Contributors has) {
  const int owning = owner(chunk, chunks, ranks);
  switch (kind) {
    case Kind::all_reduce: return has == all_of(ranks);
    case Kind::reduce_scatter: return owning != rank || has == all_of(ranks);
    case Kind::reduce: return rank != 0 || has == all_of(ranks);
    case Kind::all_gather: return has == just(owning);
    case Kind::gather: return rank != 0 || has == just(owning);
    case Kind::send:
    case Kind::broadcast: return has == just(0);
    case Kind::scatter: return owning != rank || has == just(0);
    case Kind::all_to_all: return chunk % ranks != rank || has == just(owning);
    case Kind::shift: return (owning + 1) % ranks != rank || has == just(owning);
  }
  throw InternalError("a kind without a promise");
}

// Runs the plan; transfers of one step see the buffers as they were before it.
Buffers execute(const Task& task, const Plan& plan) {
  const int devices = task.group.ranks + task.group.relays;
  Buffers buffers(static_cast<size_t>(devices));
  for (int rank = 0; rank < devices; ++rank) {
    for (int chunk = 0; chunk < plan.chunks; ++chunk)
      nth(buffers, rank).push_back(initial(task.kind, task.group.ranks, plan.chunks, rank, chunk));
  }
  for (const auto& step : plan.steps) {
    std::vector<Contributors> sent;
    for (const Transfer& one : step)
      sent.push_back(buffers.at(static_cast<size_t>(one.from)).at(static_cast<size_t>(one.chunk)));
    for (size_t i = 0; i < step.size(); ++i) {
      EXPECT_NE(sent[i], 0u) << "rank " << step[i].from << " sends what it does not have";
      Contributors& place = buffers.at(static_cast<size_t>(step[i].to)).at(static_cast<size_t>(step[i].chunk));
      if (!step[i].reduce) place = 0;
      EXPECT_EQ(place & sent[i], 0u) << "something is added twice at rank " << step[i].to;
      place |= sent[i];
    }
  }
  return buffers;
}

class EveryCollective : public testing::TestWithParam<std::string> {
 protected:
  test::Row row() const { return test::row_named(GetParam()); }
  const AlgorithmDef& algorithm() const { return *row().algorithm; }

  // For each layout of 2 to 17 ranks that the algorithm supports.
  void for_all(const std::function<void(const platform::Platform&, const Placed&)>& check) const {
    int supported = 0;
    for (int ranks = 2; ranks <= kMostRanks; ++ranks) {
      for (const Layout& layout : test::layouts(ranks)) {
        SCOPED_TRACE(std::to_string(ranks) + " ranks, " + layout.name);
        test::Ports ports;
        ports.devices_per_nic = layout.devices_per_nic;
        ports.in_switch       = true;
        const auto platform   = test::cluster(layout.node, ports);
        const Placed placed   = test::placed_on(platform, algorithm(), row().kind, kBytes);
        if (!algorithm().supports_task(placed.task)) continue;
        ++supported;
        check(platform, placed);
        if (testing::Test::HasFailure()) return;
      }
    }
    EXPECT_GE(supported, 4) << "hardly any group is supported";
  }
};

TEST_P(EveryCollective, LeavesEveryRankWithWhatItsKindPromises) {
  for_all([&](const platform::Platform&, const Placed& placed) {
    const Task& task      = placed.task;
    const Plan plan       = algorithm().plan(task);
    const Buffers buffers = execute(task, plan);
    for (int rank = task.kind == Kind::send ? 1 : 0; rank < task.group.ranks; ++rank) {
      for (int chunk = 0; chunk < plan.chunks; ++chunk) {
        EXPECT_TRUE(kept(task.kind, task.group.ranks, plan.chunks, rank, chunk, nth(nth(buffers, rank), chunk)))
            << "rank " << rank << ", chunk " << chunk;
      }
    }
  });
}

// What switches merge on its way is counted in collective_formulas_test.cpp.
TEST_P(EveryCollective, MovesTheSharesThatItsFlowsStateBetweenEachPair) {
  for_all([&](const platform::Platform&, const Placed& placed) {
    const Task& task = placed.task;
    if (algorithm().in_switch || (algorithm().name == "auto" && choose(task).in_switch)) return;
    const Plan plan    = algorithm().plan(task);
    const double share = chunk_share(plan, task.kind, task.group.ranks);
    const bool of_each = task.kind == Kind::all_to_all || task.kind == Kind::shift;
    EXPECT_DOUBLE_EQ(share * plan.chunks, of_each ? task.group.ranks : 1);
    std::map<std::pair<int, int>, double> planned, flowing;
    for (const auto& step : plan.steps) {
      for (const Transfer& transfer : step) planned[{transfer.from, transfer.to}] += share;
    }
    for (const Phase& phase : algorithm().flows(task).phases) {
      std::map<std::pair<int, int>, int> times;
      for (const Flow& flow : phase.flows) {
        flowing[{flow.from, flow.to}] += flow.share;
        EXPECT_EQ((++times[{flow.from, flow.to}]), 1) << flow.from << " -> " << flow.to << " is listed twice";
      }
    }
    ASSERT_EQ(planned.size(), flowing.size());
    for (const auto& [pair, moved] : planned)
      EXPECT_NEAR(flowing[pair], moved, 1e-9) << pair.first << " -> " << pair.second;
  });
}

TEST_P(EveryCollective, TakesAsManyLatenciesAsItsPlanHasSteps) {
  for_all([&](const platform::Platform&, const Placed& placed) {
    int steps = 0;
    for (const Phase& phase : algorithm().flows(placed.task).phases) steps += phase.near_steps + phase.far_steps;
    EXPECT_EQ(steps, static_cast<int>(algorithm().plan(placed.task).steps.size()));
  });
}

TEST_P(EveryCollective, TakesItsClosedFormWhenSimulated) {
  for_all([&](const platform::Platform& platform, const Placed& placed) {
    const auto devices = static_cast<int>(platform.devices().size());
    test::ProgramWriter writer(devices);
    const bool send = row().kind == Kind::send;
    writer.communicate(row().kind, send ? std::vector{0, devices - 1} : test::first_places(devices), kBytes);
    writer.program().communications.front().algorithm = &algorithm();
    // Children cost time, so SimGrid plays 8 devices only.
    const auto& engine    = simulate::engines().get(devices == 8 ? "simgrid" : "analytic", "test");
    const auto timeline   = engine.run(writer.program(), platform);
    const double expected = closed_form(algorithm(), placed.task).total().value();
    EXPECT_NEAR(timeline.makespan.value(), expected, 1e-9 * expected);
  });
}

INSTANTIATE_TEST_SUITE_P(Rows, EveryCollective, testing::ValuesIn(test::row_names()),
                         [](const auto& row) { return row.param; });

TEST(Collectives, HaveADefaultAlgorithmForEveryKindThatSupportsEveryGroup) {
  for (int kind = 0; kind < kKinds; ++kind) {
    const AlgorithmDef& algorithm = default_algorithm(static_cast<Kind>(kind));
    for (const int ranks : {2, 3, 7}) {
      if (static_cast<Kind>(kind) == Kind::send && ranks != 2) continue;
      EXPECT_TRUE(algorithm.supports(static_cast<Kind>(kind), Group{.ranks = ranks})) << algorithm.name;
    }
  }
  EXPECT_EQ(default_algorithm(Kind::all_reduce).name, "ring");
  EXPECT_EQ(default_algorithm(Kind::broadcast).name, "chain");
  EXPECT_EQ(default_algorithm(Kind::all_to_all).name, "pairwise");
  EXPECT_EQ(default_algorithm(Kind::send).name, "direct");
}

// Nothing is chosen that is worse than another algorithm of the table.
TEST(Collectives, AutoTakesTheAlgorithmWithTheLeastClosedForm) {
  for (const auto& row : test::rows()) {
    for (const double bytes : {1e3, 1e6, 1e9}) {
      const auto platform = test::cluster(test::in_nodes_of(4, 16));
      const auto placed   = test::placed_on(platform, *row.algorithm, row.kind, Bytes(bytes));
      if (row.algorithm->is_of_libraries || !row.algorithm->supports_task(placed.task)) continue;
      EXPECT_LE(closed_form(choose(placed.task), placed.task).total(), closed_form(*row.algorithm, placed.task).total())
          << row.name() << " " << bytes;
    }
  }
}

// 12 ranks, no power of two: halving and doubling must fold four of them, and moves twice the bytes of a ring.
TEST(Collectives, AutoTakesFewStepsForShortMessagesAndFewBytesForLongOnes) {
  const auto platform = test::cluster(test::in_nodes_of(1, 12));
  const auto chosen   = [&](double bytes) {
    const auto& ring = default_algorithm(Kind::all_reduce);
    return choose(test::placed_on(platform, ring, Kind::all_reduce, Bytes(bytes)).task).name;
  };
  EXPECT_EQ(chosen(1e3), "tree");  // 2 * 4 steps, 2 S; halving and doubling: 2 + 2 * 3 steps, 3.75 S
  EXPECT_EQ(chosen(1e9), "ring");  // 22 steps, 1.83 S
}

}  // namespace
}  // namespace foreflow::collective::collectives_test
