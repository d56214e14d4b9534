// Pipelined chain: the message travels rank by rank in chunks, so that all hops work at once; a reduction goes the
// other way, from the last rank to the first.
//
//   step         0  1  2  3      3 ranks, 3 chunks: which chunk is on each hop
//   0 -> 1       0  1  2
//   1 -> 2          0  1  2      ranks - 2 + chunks steps
#include "foreflow/collective/chain.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "collective/layout.h"
#include "foreflow/base/nth.h"

namespace foreflow::collective {
namespace definitions::chain {

AlgorithmDef row();

namespace {

// sqrt((ranks - 2) * bytes / bandwidth / latency) balances the latencies of many chunks against the filling with big
// ones; with one hop there is nothing to fill. No more than kMostChunks: NCCL's chunks are not below 64 KiB for long
// messages.
int chunks(const Task& task) {
  const Wire& wire = nodes(task.group).size() > 1 ? task.far : task.near;
  if (task.group.ranks == 2 || wire.latency <= Seconds(0)) return task.group.ranks == 2 ? 1 : 16;
  const double best = std::sqrt((task.group.ranks - 2) * (task.bytes / wire.bandwidth / wire.latency));
  return static_cast<int>(std::lround(std::clamp<double>(best, 1, kMostChunks)));
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

Plan plan_in(const Task& task, int chunks) {
  const std::vector<Flow> way = hops(task);
  Plan result{chunks, {}};
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
FlowPlan flows_in(const Task& task, int chunks) {
  Phase phase{0, 0, hops(task), 1.0 / chunks};
  for (const Flow& hop : phase.flows) ++(is_far(task.group, hop.from, hop.to) ? phase.far_steps : phase.near_steps);
  (phase.far_steps > 0 ? phase.far_steps : phase.near_steps) += chunks - 1;
  return {{std::move(phase)}};
}

Plan plan(const Task& task) { return plan_in(task, chunks(task)); }
FlowPlan flows(const Task& task) { return flows_in(task, chunks(task)); }

std::vector<AlgorithmDef> of_all_chunks() {
  std::vector<AlgorithmDef> all(kMostChunks, row());
  for (int chunks = 1; chunks <= kMostChunks; ++chunks) {
    AlgorithmDef& chain  = nth(all, chunks - 1);
    chain.plan           = [chunks](const Task& task) { return plan_in(task, chunks); };
    chain.flows          = [chunks](const Task& task) { return flows_in(task, chunks); };
    chain.flows_by_bytes = false;
  }
  return all;
}

}  // namespace

AlgorithmDef row() {
  return {.name           = "chain",
          .doc            = "rank to rank, in chunks that follow each other",
          .source         = "pipelined broadcast, e.g. Traff and Ripke 2008",
          .kinds          = {Kind::broadcast, Kind::reduce},
          .supports       = any_group,
          .plan           = plan,
          .flows          = flows,
          .flows_by_bytes = true};
}

const AlgorithmDef& of(int chunks) {
  static const std::vector<AlgorithmDef> rows = of_all_chunks();
  return nth(rows, chunks - 1);
}

}  // namespace definitions::chain

const AlgorithmDef& chain_of(int chunks) {
  FOREFLOW_CHECK(chunks >= 1 && chunks <= kMostChunks, "the number of chunks is out of range");
  return definitions::chain::of(chunks);
}

}  // namespace foreflow::collective
