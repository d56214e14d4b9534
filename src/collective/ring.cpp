// Ring (Patarasuk and Yuan, 2009): every rank sends one chunk to its successor in every step. Each channel is a
// separate ring, with its own order of ranks, for an equal part of the bytes.
//
//   reduce-scatter, n = 3: which chunk each rank sends, added by the receiver     all-gather: replaced by the receiver
//     step  rank 0 -> 1   rank 1 -> 2   rank 2 -> 0                                 0 -> 1   1 -> 2   2 -> 0
//      0        2             0             1                                         0        1        2
//      1        1             2             0    now rank r holds the sum of r        2        0        1
#include "collective/ring.h"

#include <algorithm>
#include <cstdint>

#include "collective/layout.h"

namespace foreflow::collective {
namespace {

// Number of hops between nodes on the longest path of a chunk. A chunk crosses every hop of the ring `turns` times,
// except the last hop (turns = 1) or the last two (turns = 2); the longest path is the one that leaves out hops inside
// a node.
int far_hops(const Group& group, const std::vector<int>& ring, int turns) {
  const auto ranks = ring.size();
  const auto far   = [&](size_t hop) { return is_far(group, ring[hop], ring[hop + 1 == ranks ? 0 : hop + 1]) ? 1 : 0; };
  int all = 0, fewest = turns, before = far(ranks - 1);
  for (size_t i = 0; i < ranks; ++i) {
    const int here = far(i);
    all += here;
    fewest = std::min(fewest, turns == 1 ? here : before + here);
    before = here;
  }
  return turns * all - fewest;
}

// Returns the flows of all rings. Those between the same two ranks are added up, in the order of their first
// appearance. A rank sends to one other rank in each ring, so a few places tell where its flows are.
std::vector<Flow> flows_round(const std::vector<std::vector<int>>& rings, int ranks, double share) {
  constexpr uint32_t kNone = UINT32_MAX;
  std::vector<Flow> flows;
  flows.reserve(static_cast<size_t>(ranks));
  if (rings.size() == 1) {
    const std::vector<int>& ring = rings.front();
    for (size_t i = 0; i < ring.size(); ++i) flows.push_back({ring[i], ring[i + 1 == ring.size() ? 0 : i + 1], share});
    return flows;
  }
  std::vector<uint32_t> places(static_cast<size_t>(ranks) * rings.size(), kNone);
  for (const auto& ring : rings) {
    for (size_t i = 0; i < ring.size(); ++i) {
      const int to    = ring[i + 1 == ring.size() ? 0 : i + 1];
      uint32_t* place = &places[static_cast<size_t>(ring[i]) * rings.size()];
      while (*place != kNone && flows[*place].to != to) ++place;
      if (*place != kNone) {
        flows[*place].share += share;
        continue;
      }
      *place = static_cast<uint32_t>(flows.size());
      flows.push_back({ring[i], to, share});
    }
  }
  return flows;
}

}  // namespace

Phase ring_phase(const Group& group, int turns) {
  const auto channels = rings(group);
  const int hops      = turns * (group.ranks - 1);
  const int far       = far_hops(group, channels.front(), turns);
  const double share  = static_cast<double>(hops) / group.ranks / static_cast<double>(channels.size());
  return {hops - far, far, flows_round(channels, group.ranks, share), 0};
}

void turn(std::vector<std::vector<Transfer>>& steps, size_t first, const std::vector<int>& order,
          const std::vector<std::vector<int>>& chunks, Receiver receiver) {
  const size_t ranks = order.size();
  if (steps.size() < first + ranks - 1) steps.resize(first + ranks - 1);
  // The sum of a chunk ends at the rank that owns it, and copies of a chunk start there. In every later step a rank
  // passes on what it has just received.
  const size_t offset = receiver == Receiver::adds ? ranks - 1 : 0;
  for (size_t step = 0; step + 1 < ranks; ++step) {
    for (size_t position = 0; position < ranks; ++position) {
      for (const int chunk : chunks[(position + offset + ranks - step) % ranks]) {
        steps[first + step].push_back(
            {order[position], order[(position + 1) % ranks], chunk, receiver == Receiver::adds});
      }
    }
  }
}

void turn_channels(std::vector<std::vector<Transfer>>& steps, const Group& group, Receiver receiver) {
  const auto channels = rings(group);
  const size_t first  = steps.size();
  for (size_t channel = 0; channel < channels.size(); ++channel) {
    std::vector<std::vector<int>> chunks;
    for (const int rank : channels[channel])
      chunks.push_back({rank * static_cast<int>(channels.size()) + static_cast<int>(channel)});
    turn(steps, first, channels[channel], chunks, receiver);
  }
}

namespace definitions::ring {
namespace {

Plan plan(const Task& task) {
  Plan result{task.group.ranks * static_cast<int>(rings(task.group).size()), {}};
  if (task.kind != Kind::all_gather) turn_channels(result.steps, task.group, Receiver::adds);
  if (task.kind != Kind::reduce_scatter) turn_channels(result.steps, task.group, Receiver::replaces);
  return result;
}

FlowPlan flows(const Task& task) { return {{ring_phase(task.group, task.kind == Kind::all_reduce ? 2 : 1)}}; }

}  // namespace

AlgorithmDef row() {
  return {"ring",
          "every rank passes chunks to its successor; optimal bytes, latency grows with the ranks",
          "Patarasuk and Yuan 2009; channels as in NCCL",
          {Kind::all_reduce, Kind::reduce_scatter, Kind::all_gather},
          any_group,
          plan,
          flows};
}

}  // namespace definitions::ring
}  // namespace foreflow::collective
