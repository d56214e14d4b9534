// Direct: every pair that has something to say exchanges one message, one message a port at a time (all-to-all: in step
// s rank i sends to i + s, the pairwise exchange of Thakur, Rabenseifner and Gropp, 2005).
#include "foreflow/collective/collective.h"

namespace foreflow::collective::definitions {
namespace {

bool supports(Kind kind, const Group& group) {
  if (kind == Kind::send) return group.ranks == 2;
  return group.ranks >= 2 && (kind == Kind::gather || kind == Kind::scatter || kind == Kind::all_to_all);
}

std::vector<Transfer> step(Kind kind, int ranks, int distance) {
  if (kind == Kind::send) return {{0, 1, 0, false}};
  if (kind == Kind::gather) return {{distance, 0, distance, false}};
  if (kind == Kind::scatter) return {{0, distance, distance, false}};
  std::vector<Transfer> transfers;
  for (int rank = 0; rank < ranks; ++rank) {
    const int peer = (rank + distance) % ranks;
    transfers.push_back({rank, peer, peer, false});
  }
  return transfers;
}

Plan plan(const Task& task) {
  const int ranks = task.group.ranks;
  Plan result{task.kind == Kind::send ? 1 : ranks, {}};
  for (int distance = 1; distance < ranks; ++distance) result.steps.push_back(step(task.kind, ranks, distance));
  return result;
}

FlowPlan flows(const Task& task) {
  const Plan messages = plan(task);
  Phase all{static_cast<int>(messages.steps.size()), {}, 0};
  for (const auto& transfers : messages.steps) {
    for (const Transfer& one : transfers) all.flows.push_back({one.from, one.to, 1.0 / messages.chunks});
  }
  return {{std::move(all)}};
}

Seconds closed_form(const Task& task) {
  if (task.kind == Kind::send) return task.far.latency + task.bytes / task.far.bandwidth;
  return (task.group.ranks - 1) * (task.far.latency + task.bytes / task.group.ranks / task.far.bandwidth);
}

}  // namespace

AlgorithmDef direct() {
  return {"direct", "one message from each rank to each rank that needs it", supports, plan, flows, closed_form};
}

}  // namespace foreflow::collective::definitions
