// Ring (Patarasuk and Yuan, 2009): every rank sends one chunk to its successor in every step.
//
//   reduce-scatter, n = 3: which chunk each rank sends, added by the receiver     all-gather: replaced by the receiver
//     step  rank 0 -> 1   rank 1 -> 2   rank 2 -> 0                                 0 -> 1   1 -> 2   2 -> 0
//      0        2             0             1                                         0        1        2
//      1        1             2             0    now rank r holds the sum of r        2        0        1
#include "foreflow/collective/collective.h"

namespace foreflow::collective::definitions {
namespace {

enum class Receiver { adds, replaces };

// n-1 steps; in the first one rank i sends chunk i + offset, then always the one that it has just received.
void turn(Plan& plan, int ranks, int offset, Receiver receiver) {
  for (int step = 0; step < ranks - 1; ++step) {
    std::vector<Transfer>& transfers = plan.steps.emplace_back();
    for (int rank = 0; rank < ranks; ++rank) {
      const int chunk = (rank + offset - step + 2 * ranks) % ranks;
      transfers.push_back({rank, (rank + 1) % ranks, chunk, receiver == Receiver::adds});
    }
  }
}

bool supports(Kind kind, const Group& group) {
  return group.ranks >= 2 && (kind == Kind::all_reduce || kind == Kind::reduce_scatter || kind == Kind::all_gather);
}

Plan plan(const Task& task) {
  const int ranks = task.group.ranks;
  Plan result{ranks, {}};
  if (task.kind != Kind::all_gather) turn(result, ranks, -1, Receiver::adds);
  if (task.kind != Kind::reduce_scatter) turn(result, ranks, 0, Receiver::replaces);
  return result;
}

int steps(Kind kind, int ranks) { return kind == Kind::all_reduce ? 2 * (ranks - 1) : ranks - 1; }

FlowPlan flows(const Task& task) {
  const int ranks    = task.group.ranks;
  const double share = static_cast<double>(steps(task.kind, ranks)) / ranks;
  Phase turn{steps(task.kind, ranks), {}, 0};
  for (int rank = 0; rank < ranks; ++rank) turn.flows.push_back({rank, (rank + 1) % ranks, share});
  return {{std::move(turn)}};
}

Seconds closed_form(const Task& task) {
  const int ranks = task.group.ranks;
  return steps(task.kind, ranks) * (task.far.latency + task.bytes / ranks / task.far.bandwidth);
}

}  // namespace

AlgorithmDef ring() {
  return {"ring",   "every rank passes chunks to its successor; optimal bytes, latency grows with the ranks",
          supports, plan,
          flows,    closed_form};
}

}  // namespace foreflow::collective::definitions
