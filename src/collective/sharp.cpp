// All-reduce in the switches between the nodes (SHARP; Graham et al., 2016; NCCL's CollNet): reduce-scatter in each
// node, every rank sends its part up to the switches once and gets the sum once, all-gather in each node. S leaves and
// enters a node instead of 2 S (N-1)/N of a hierarchical all-reduce.
//
//   2 nodes of 2 ranks    0>1 1>0  2>3 3>2     added in the switches: 0>2 2>0  1>3 3>1     0>1 1>0  2>3 3>2
//
// Between the nodes this is a ring of flows with the share of the switch algorithm.
#include "collective/layout.h"
#include "collective/ring.h"
#include "foreflow/base/nth.h"

namespace foreflow::collective::definitions::sharp {
namespace {

using Nodes = std::vector<std::vector<int>>;

bool supports(Kind kind, const Group& group) {
  if (!any_group(kind, group) || !group.sharp) return false;
  const Nodes members = nodes(group);
  return members.size() > 1 && equal_size(members) > 0;
}

// The number of each rank in its node: of the part that it sums up.
std::vector<int> numbers(const Nodes& members, int ranks) {
  std::vector<int> result(static_cast<size_t>(ranks));
  for (const auto& node : members) {
    for (size_t i = 0; i < node.size(); ++i) nth(result, node[i]) = static_cast<int>(i);
  }
  return result;
}

void turn_in_nodes(Plan& plan, const Group& group, const std::vector<int>& number, Receiver receiver) {
  const size_t first = plan.steps.size();
  for (const auto& ring : ring_in_nodes(group)) {
    std::vector<std::vector<int>> chunks;
    for (const int rank : ring) chunks.push_back({nth(number, rank)});
    turn(plan.steps, first, ring, chunks, receiver);
  }
}

Plan plan(const Task& task) {
  const Nodes members           = nodes(task.group);
  const std::vector<int> number = numbers(members, task.group.ranks);
  Plan result{equal_size(members), {}};
  turn_in_nodes(result, task.group, number, Receiver::adds);
  auto& sums = result.steps.emplace_back();
  for (int from = 0; from < task.group.ranks; ++from) {
    for (int to = 0; to < task.group.ranks; ++to) {
      const int chunk = nth(number, from);
      if (from != to && chunk == nth(number, to)) sums.push_back({from, to, chunk, true});
    }
  }
  turn_in_nodes(result, task.group, number, Receiver::replaces);
  return result;
}

FlowPlan flows(const Task& task) {
  const Nodes members = nodes(task.group);
  const int size      = equal_size(members);
  Phase in_nodes{size - 1, 0, {}, 0}, between{0, 1, {}, 0};
  for (const auto& ring : ring_in_nodes(task.group)) {
    for (size_t i = 0; size > 1 && i < ring.size(); ++i)
      in_nodes.flows.push_back({ring[i], ring[(i + 1) % ring.size()], static_cast<double>(size - 1) / size});
  }
  for (size_t node = 0; node < members.size(); ++node) {
    const auto& next = members[(node + 1) % members.size()];
    for (size_t i = 0; i < next.size(); ++i) between.flows.push_back({members[node][i], next[i], 1.0 / size});
  }
  if (size == 1) return {{std::move(between)}};
  return {{in_nodes, std::move(between), in_nodes}};
}

}  // namespace

AlgorithmDef row() {
  return {"sharp",
          "the switches between the nodes add and multicast; nodes must be equal",
          "Graham et al. 2016; NCCL issue 457",
          {Kind::all_reduce},
          supports,
          plan,
          flows,
          false,
          true};
}

}  // namespace foreflow::collective::definitions::sharp
