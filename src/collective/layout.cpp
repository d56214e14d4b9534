#include "collective/layout.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "foreflow/base/nth.h"

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
    nth(result, node_of(group, rank)).push_back(rank);
  return result;
}

Phase step(const Group& group, std::vector<Flow> flows) {
  const bool far =
      std::any_of(flows.begin(), flows.end(), [&](const Flow& flow) { return is_far(group, flow.from, flow.to); });
  return {far ? 0 : 1, far ? 1 : 0, std::move(flows), 0};
}

// The flows of one sender lie side by side in a counting sort, so that one place per receiver tells which of them came
// first: the cost follows the number of flows, a million in an all-to-all among 1,024 ranks.
std::vector<Flow> merged(const std::vector<Flow>& flows, int devices) {
  const auto count = static_cast<size_t>(devices);
  std::vector<size_t> begins(count + 1, 0);
  for (const Flow& flow : flows) ++begins[static_cast<size_t>(flow.from) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<size_t> by_sender(flows.size());
  for (size_t i = 0; i < flows.size(); ++i) by_sender[nth(begins, flows[i].from)++] = i;

  constexpr size_t kNone = SIZE_MAX;
  std::vector<size_t> newest(count, kNone);  // by receiver: the first flow to it of the sender that sent to it last
  std::vector<size_t> first(flows.size());   // per flow: the first one between the same ranks
  for (const size_t i : by_sender) {
    size_t& known = nth(newest, flows[i].to);
    if (known == kNone || flows[known].from != flows[i].from) known = i;
    first[i] = known;
  }
  std::vector<Flow> result;
  std::vector<size_t> place(flows.size());
  for (size_t i = 0; i < flows.size(); ++i) {
    if (first[i] == i) {
      place[i] = result.size();
      result.push_back(flows[i]);
    } else {
      result[place[first[i]]].share += flows[i].share;
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
