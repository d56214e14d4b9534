#include "collective/layout.h"

#include <algorithm>
#include <cstdint>

namespace foreflow::collective {

std::vector<std::vector<int>> nodes(const Group& group) {
  std::vector<std::vector<int>> result;
  for (int rank = 0; rank < group.ranks; ++rank) {
    const auto node = static_cast<size_t>(node_of(group, rank));
    if (node >= result.size()) result.resize(node + 1);
    result[node].push_back(rank);
  }
  return result;
}

int equal_size(const std::vector<std::vector<int>>& nodes) {
  const size_t size = nodes.front().size();
  const bool equal  = std::all_of(nodes.begin(), nodes.end(), [&](const auto& node) { return node.size() == size; });
  return equal ? static_cast<int>(size) : 0;
}

std::vector<int> node_major(const Group& group) {
  std::vector<int> order;
  for (const auto& node : nodes(group)) order.insert(order.end(), node.begin(), node.end());
  return order;
}

std::vector<std::vector<int>> rings(const Group& group) {
  if (!group.rings.empty()) return group.rings;
  return {node_major(group)};
}

std::vector<std::vector<int>> ring_in_nodes(const Group& group) {
  std::vector<std::vector<int>> result(nodes(group).size());
  for (const int rank : group.rings.empty() ? node_major(group) : group.rings.front())
    result[static_cast<size_t>(node_of(group, rank))].push_back(rank);
  return result;
}

Phase step(const Group& group, std::vector<Flow> flows) {
  const bool far =
      std::any_of(flows.begin(), flows.end(), [&](const Flow& flow) { return is_far(group, flow.from, flow.to); });
  return {far ? 0 : 1, far ? 1 : 0, std::move(flows), 0};
}

std::vector<Flow> merged(const std::vector<Flow>& flows, int devices) {
  constexpr size_t kNone = SIZE_MAX;
  std::vector<Flow> result;
  std::vector<size_t> newest(static_cast<size_t>(devices), kNone);  // by sender: its last flow in `result`
  std::vector<size_t> older;  // per flow of `result`: the one of its sender before
  for (const Flow& flow : flows) {
    size_t& latest = newest[static_cast<size_t>(flow.from)];
    size_t known   = latest;
    while (known != kNone && result[known].to != flow.to) known = older[known];
    if (known != kNone) {
      result[known].share += flow.share;
    } else {
      older.push_back(latest);
      latest = result.size();
      result.push_back(flow);
    }
  }
  return result;
}

FlowPlan stepwise(const Plan& plan, const Task& task) {
  const double share = chunk_share(plan, task.kind, task.group.ranks);
  FlowPlan result;
  for (const auto& transfers : plan.steps) {
    std::vector<Flow> flows;
    for (const Transfer& transfer : transfers) flows.push_back({transfer.from, transfer.to, share});
    result.phases.push_back(step(task.group, merged(flows, task.group.ranks)));
  }
  return result;
}

Plan part_by_part(int ranks) {
  Plan result{ranks, {{}, {}}};
  for (int from = 0; from < ranks; ++from) {
    for (int to = 0; to < ranks; ++to) {
      if (from == to) continue;
      result.steps[0].push_back({from, to, to, true});
      result.steps[1].push_back({from, to, from, false});
    }
  }
  return result;
}

bool any_group(Kind kind, const Group& group) { return kind == Kind::send ? group.ranks == 2 : group.ranks >= 2; }

}  // namespace foreflow::collective
