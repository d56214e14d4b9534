// Every algorithm, for every kind that it supports, on 2 to 17 ranks: the plan, run on sets of contributors, leaves
// every rank with what the kind promises, and the flows and the closed form agree with the plan.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "foreflow/collective/collective.h"

namespace foreflow::collective {
namespace {

using Contributors = std::set<int>;
// buffers[rank][chunk] = the ranks whose data are summed there.
using Buffers = std::vector<std::vector<Contributors>>;

constexpr int kMostRanks = 17;
const Wire kWire{Seconds(3e-6), BytesPerSecond(25e9)};

Task flat(Kind kind, int ranks) { return {kind, {ranks, {}, false, false}, Bytes(64e6), kWire, kWire}; }

Contributors all_ranks(int ranks) {
  Contributors all;
  for (int rank = 0; rank < ranks; ++rank) all.insert(rank);
  return all;
}

// The rank whose shard `chunk` belongs to.
int owner(int chunk, int chunks, int ranks) { return chunk * ranks / chunks; }

Contributors initial(Kind kind, int ranks, int chunks, int rank, int chunk) {
  switch (kind) {
    case Kind::all_reduce:
    case Kind::reduce_scatter:
    case Kind::reduce:
    case Kind::all_to_all:
      return {rank};
    case Kind::all_gather:
    case Kind::gather:
      return owner(chunk, chunks, ranks) == rank ? Contributors{rank} : Contributors{};
    case Kind::send:
    case Kind::broadcast:
    case Kind::scatter:
      return rank == 0 ? Contributors{0} : Contributors{};
  }
  throw InternalError("a kind without a promise");
}

// Whether the promise of `kind` holds for what `rank` has at last in `chunk`.
bool kept(Kind kind, int ranks, int chunks, int rank, int chunk, const Contributors& has) {
  const bool own = owner(chunk, chunks, ranks) == rank;
  switch (kind) {
    case Kind::all_reduce:
      return has == all_ranks(ranks);
    case Kind::reduce_scatter:
      return !own || has == all_ranks(ranks);
    case Kind::reduce:
      return rank != 0 || has == all_ranks(ranks);
    case Kind::all_gather:
      return has == Contributors{owner(chunk, chunks, ranks)};
    case Kind::gather:
      return rank != 0 || has == Contributors{owner(chunk, chunks, ranks)};
    case Kind::send:
    case Kind::broadcast:
      return has == Contributors{0};
    case Kind::scatter:
      return !own || has == Contributors{0};
    case Kind::all_to_all:
      return has == Contributors{chunk};
  }
  throw InternalError("a kind without a promise");
}

// Runs the plan; transfers of one step see the buffers as they were before it.
Buffers execute(Kind kind, int ranks, const Plan& plan) {
  Buffers buffers(static_cast<size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    for (int chunk = 0; chunk < plan.chunks; ++chunk) {
      buffers[static_cast<size_t>(rank)].push_back(initial(kind, ranks, plan.chunks, rank, chunk));
    }
  }
  for (const auto& step : plan.steps) {
    const Buffers before = buffers;
    for (const Transfer& transfer : step) {
      const Contributors& sent = before.at(static_cast<size_t>(transfer.from)).at(static_cast<size_t>(transfer.chunk));
      EXPECT_FALSE(sent.empty()) << "rank " << transfer.from << " sends what it does not have";
      Contributors& place = buffers.at(static_cast<size_t>(transfer.to)).at(static_cast<size_t>(transfer.chunk));
      if (!transfer.reduce) place.clear();
      for (const int rank : sent) EXPECT_TRUE(place.insert(rank).second) << "rank " << rank << " is added twice";
    }
  }
  return buffers;
}

// All-to-all: each rank gets exactly the chunk that is meant for it from every other rank, once.
Buffers execute_all_to_all(int ranks, const Plan& plan) {
  Buffers received(static_cast<size_t>(ranks), std::vector<Contributors>(static_cast<size_t>(plan.chunks)));
  for (int rank = 0; rank < ranks; ++rank) received[static_cast<size_t>(rank)][static_cast<size_t>(rank)] = {rank};
  for (const auto& step : plan.steps) {
    for (const Transfer& transfer : step) {
      EXPECT_EQ(transfer.chunk, transfer.to);
      EXPECT_TRUE(received.at(static_cast<size_t>(transfer.to))
                      .at(static_cast<size_t>(transfer.from))
                      .insert(transfer.from)
                      .second);
    }
  }
  return received;
}

std::vector<std::string> rows() {
  std::vector<std::string> result;
  for (const AlgorithmDef& algorithm : algorithms()) {
    for (int kind = 0; kind < kKinds; ++kind) {
      if (!can(algorithm, static_cast<Kind>(kind), 2)) continue;
      result.push_back(std::string(algorithm.name) + "_" + std::string(name(static_cast<Kind>(kind))));
    }
  }
  return result;
}

class EveryCollective : public testing::TestWithParam<std::string> {
 protected:
  const AlgorithmDef& algorithm() const { return algorithms().get(GetParam().substr(0, GetParam().find('_')), "test"); }
  Kind kind() const {
    const std::string wanted = GetParam().substr(GetParam().find('_') + 1);
    for (int kind = 0; kind < kKinds; ++kind) {
      if (name(static_cast<Kind>(kind)) == wanted) return static_cast<Kind>(kind);
    }
    throw InternalError("no such kind");
  }
  std::vector<int> supported_ranks() const {
    std::vector<int> result;
    for (int ranks = 2; ranks <= kMostRanks; ++ranks) {
      if (algorithm().supports(kind(), flat(kind(), ranks).group)) result.push_back(ranks);
    }
    return result;
  }
};

TEST_P(EveryCollective, LeavesEveryRankWithWhatItsKindPromises) {
  for (const int ranks : supported_ranks()) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    const Plan plan       = algorithm().plan(flat(kind(), ranks));
    const Buffers buffers = kind() == Kind::all_to_all ? execute_all_to_all(ranks, plan) : execute(kind(), ranks, plan);
    for (int rank = 0; rank < ranks; ++rank) {
      for (int chunk = 0; chunk < plan.chunks; ++chunk) {
        EXPECT_TRUE(kept(kind(), ranks, plan.chunks, rank, chunk,
                         buffers[static_cast<size_t>(rank)][static_cast<size_t>(chunk)]))
            << "rank " << rank << ", chunk " << chunk;
      }
    }
  }
}

TEST_P(EveryCollective, MovesTheSharesThatItsFlowsStateBetweenEachPair) {
  for (const int ranks : supported_ranks()) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    const Plan plan = algorithm().plan(flat(kind(), ranks));
    std::map<std::pair<int, int>, double> planned, flowing;
    for (const auto& step : plan.steps) {
      for (const Transfer& transfer : step) planned[{transfer.from, transfer.to}] += 1.0 / plan.chunks;
    }
    for (const Phase& phase : algorithm().flows(flat(kind(), ranks)).phases) {
      for (const Flow& flow : phase.flows) flowing[{flow.from, flow.to}] += flow.share;
    }
    ASSERT_EQ(planned.size(), flowing.size());
    for (const auto& [pair, share] : planned)
      EXPECT_NEAR(flowing[pair], share, 1e-12) << pair.first << " -> " << pair.second;
  }
}

TEST_P(EveryCollective, TakesAsManyLatenciesAsItsPlanHasSteps) {
  for (const int ranks : supported_ranks()) {
    int latency_steps = 0;
    for (const Phase& phase : algorithm().flows(flat(kind(), ranks)).phases) latency_steps += phase.latency_steps;
    EXPECT_EQ(latency_steps, static_cast<int>(algorithm().plan(flat(kind(), ranks)).steps.size()));
  }
}

TEST_P(EveryCollective, HasAClosedFormThatFollowsFromItsFlows) {
  for (const int ranks : supported_ranks()) {
    const Task task = flat(kind(), ranks);
    Seconds expected(0);
    for (const Phase& phase : algorithm().flows(task).phases) {
      std::map<int, double> out, in;
      double most = 0;
      for (const Flow& flow : phase.flows)
        most = std::max({most, out[flow.from] += flow.share, in[flow.to] += flow.share});
      const double filled = phase.head * static_cast<double>(phase.flows.size() - 1);
      expected += phase.latency_steps * kWire.latency + (most + filled) * task.bytes / kWire.bandwidth;
    }
    const Seconds actual = algorithm().closed_form(task);
    EXPECT_NEAR(actual.value(), expected.value(), 1e-12 * expected.value()) << ranks << " ranks";
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, EveryCollective, testing::ValuesIn(rows()), [](const auto& row) { return row.param; });

TEST(Collectives, HaveADefaultAlgorithmForEveryKind) {
  for (int kind = 0; kind < kKinds; ++kind)
    EXPECT_TRUE(can(default_algorithm(static_cast<Kind>(kind)), static_cast<Kind>(kind), 2));
  EXPECT_EQ(default_algorithm(Kind::all_reduce).name, "ring");
  EXPECT_EQ(default_algorithm(Kind::broadcast).name, "chain");
  EXPECT_EQ(default_algorithm(Kind::send).name, "direct");
}

}  // namespace
}  // namespace foreflow::collective
