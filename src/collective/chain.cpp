// Pipelined chain: the message travels rank by rank in chunks, so that all hops work at once; a reduction goes the other
// way, from the last rank to the first.
//
//   step         0  1  2  3      3 ranks, 3 chunks: which chunk is on each hop
//   0 -> 1       0  1  2
//   1 -> 2          0  1  2      ranks - 2 + chunks steps
#include "foreflow/collective/collective.h"

namespace foreflow::collective::definitions {
namespace {

// With one hop there is nothing to overlap. Else a constant between what short and long messages want, which is
// sqrt((ranks - 2) * bytes / bandwidth / latency): for 8 ranks at 50 GB/s and 2 us, 8 for 1 MB and 62 for 64 MB.
int chunks(int ranks) { return ranks == 2 ? 1 : 16; }

int steps(int ranks) { return ranks - 2 + chunks(ranks); }

bool supports(Kind kind, const Group& group) {
  return group.ranks >= 2 && (kind == Kind::broadcast || kind == Kind::reduce);
}

struct Hop {
  int from, to;
};

// The hops in the order in which a chunk crosses them.
Hop hop(Kind kind, int ranks, int number) {
  if (kind == Kind::broadcast) return {number, number + 1};
  return {ranks - 1 - number, ranks - 2 - number};
}

Plan plan(const Task& task) {
  const int ranks = task.group.ranks;
  Plan result{chunks(ranks), std::vector<std::vector<Transfer>>(static_cast<size_t>(steps(ranks)))};
  for (int number = 0; number < ranks - 1; ++number) {
    const auto [from, to] = hop(task.kind, ranks, number);
    for (int chunk = 0; chunk < result.chunks; ++chunk) {
      result.steps[static_cast<size_t>(number + chunk)].push_back({from, to, chunk, task.kind == Kind::reduce});
    }
  }
  return result;
}

FlowPlan flows(const Task& task) {
  const int ranks = task.group.ranks;
  Phase pipeline{steps(ranks), {}, 1.0 / chunks(ranks)};
  for (int number = 0; number < ranks - 1; ++number) {
    const auto [from, to] = hop(task.kind, ranks, number);
    pipeline.flows.push_back({from, to, 1});
  }
  return {{std::move(pipeline)}};
}

Seconds closed_form(const Task& task) {
  const int ranks = task.group.ranks;
  return steps(ranks) * (task.far.latency + task.bytes / chunks(ranks) / task.far.bandwidth);
}

}  // namespace

AlgorithmDef chain() {
  return {"chain", "rank to rank in 16 chunks that follow each other", supports, plan, flows, closed_form};
}

}  // namespace foreflow::collective::definitions
