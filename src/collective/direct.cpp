// Direct: every pair that has something to say exchanges one message, one message a port at a time (all-to-all: in step
// s rank i sends to i + s, the pairwise exchange of Thakur, Rabenseifner and Gropp, 2005).
#include "foreflow/collective/collective.h"

namespace foreflow::collective::definitions {
namespace {

bool supports(Kind kind, int ranks) {
  if (kind == Kind::send) return ranks == 2;
  return ranks >= 2 && (kind == Kind::gather || kind == Kind::scatter || kind == Kind::all_to_all);
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

Plan plan(Kind kind, int ranks) {
  Plan result{kind == Kind::send ? 1 : ranks, {}};
  for (int distance = 1; distance < ranks; ++distance) result.steps.push_back(step(kind, ranks, distance));
  return result;
}

FlowPlan flows(Kind kind, int ranks) {
  const Plan messages = plan(kind, ranks);
  FlowPlan result{static_cast<int>(messages.steps.size()), {}};
  for (const auto& transfers : messages.steps) {
    for (const Transfer& one : transfers) result.flows.push_back({one.from, one.to, 1.0 / messages.chunks});
  }
  return result;
}

Seconds closed_form(Kind kind, int ranks, Bytes bytes, Seconds latency, BytesPerSecond bandwidth) {
  if (kind == Kind::send) return latency + bytes / bandwidth;
  return (ranks - 1) * (latency + bytes / ranks / bandwidth);
}

}  // namespace

AlgorithmDef direct() {
  return {"direct", "one message from each rank to each rank that needs it", supports, plan, flows, closed_form};
}

}  // namespace foreflow::collective::definitions
