// Pipelined chain: the message travels rank by rank in chunks, so that all hops work at once; a reduction goes the
// other way, from the last rank to the first.
//
//   step         0  1  2  3      3 ranks, 3 chunks: which chunk is on each hop
//   0 -> 1       0  1  2
//   1 -> 2          0  1  2      ranks - 2 + chunks steps
#include <algorithm>
#include <cmath>

#include "collective/layout.h"

namespace foreflow::collective::definitions::chain {
namespace {

// sqrt((ranks - 2) * bytes / bandwidth / latency) balances the latencies of many chunks against the filling with big
// ones; with one hop there is nothing to fill. No more than 1024: NCCL's chunks are not below 64 KiB for long messages.
int chunks(const Task& task) {
  if (task.chunks > 0) return task.chunks;
  constexpr double kMost = 1024;
  const Wire& wire       = nodes(task.group).size() > 1 ? task.far : task.near;
  if (task.group.ranks == 2 || wire.latency <= Seconds(0)) return task.group.ranks == 2 ? 1 : 16;
  const double best = std::sqrt((task.group.ranks - 2) * (task.bytes / wire.bandwidth / wire.latency));
  return static_cast<int>(std::lround(std::clamp(best, 1.0, kMost)));
}

// The ranks from the root on, in the order of the first ring.
std::vector<int> from_root(const Group& group) {
  std::vector<int> order = rings(group).front();
  std::rotate(order.begin(), std::find(order.begin(), order.end(), 0), order.end());
  return order;
}

// The hops in the order in which a chunk crosses them.
std::vector<Flow> hops(const Task& task) {
  const std::vector<int> order = from_root(task.group);
  std::vector<Flow> result;
  for (size_t i = 0; i + 1 < order.size(); ++i) result.push_back({order[i], order[i + 1], 1});
  if (task.kind == Kind::reduce) {
    std::reverse(result.begin(), result.end());
    for (Flow& hop : result) std::swap(hop.from, hop.to);
  }
  return result;
}

Plan plan(const Task& task) {
  const std::vector<Flow> way = hops(task);
  Plan result{chunks(task), {}};
  result.steps.resize(way.size() - 1 + static_cast<size_t>(result.chunks));
  for (size_t i = 0; i < way.size(); ++i) {
    for (int chunk = 0; chunk < result.chunks; ++chunk) {
      result.steps[i + static_cast<size_t>(chunk)].push_back(
          {way[i].from, way[i].to, chunk, task.kind == Kind::reduce});
    }
  }
  return result;
}

// The last chunk waits for those before it at the slowest kind of hop.
FlowPlan flows(const Task& task) {
  Phase phase{0, 0, hops(task), 1.0 / chunks(task)};
  for (const Flow& hop : phase.flows) ++(is_far(task.group, hop.from, hop.to) ? phase.far_steps : phase.near_steps);
  (phase.far_steps > 0 ? phase.far_steps : phase.near_steps) += chunks(task) - 1;
  return {{std::move(phase)}};
}

}  // namespace

AlgorithmDef row() {
  return {"chain",
          "rank to rank, in chunks that follow each other",
          "pipelined broadcast, e.g. Traff and Ripke 2008",
          {Kind::broadcast, Kind::reduce},
          any_group,
          plan,
          flows};
}

}  // namespace foreflow::collective::definitions::chain
