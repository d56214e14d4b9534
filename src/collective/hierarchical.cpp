// Two dimensions, for nodes with equal numbers of ranks. All-reduce (BlueConnect; Cho et al., 2019): reduce-scatter in
// each node, all-reduce of each rank's part with those of its number in the other nodes, all-gather in each node; S
// instead of G * S leaves a node. All-to-all: ranks of a node first hand each other what goes to equal numbers in any
// node.
//
//   2 nodes of 2 ranks     in nodes: 0>1 1>0  2>3 3>2       between: 0>2 2>0  1>3 3>1       in nodes again
#include "collective/layout.h"
#include "collective/ring.h"
#include "foreflow/base/nth.h"

namespace foreflow::collective::definitions::hierarchical {
namespace {

using Nodes = std::vector<std::vector<int>>;

bool supports(Kind, const Group& group) {
  if (group.ranks < 4) return false;
  const Nodes members = nodes(group);
  return members.size() > 1 && equal_size(members) > 1;
}

// The ranks of one number in all nodes.
std::vector<int> rail(const Nodes& members, size_t number) {
  std::vector<int> result;
  for (const auto& node : members) result.push_back(node[number]);
  return result;
}

// A ring in each node. Blocks are numbered like the ranks in their node, a block has a chunk for each node.
void turn_in_nodes(Plan& plan, const Group& group, const Nodes& members, Receiver receiver) {
  const auto count   = static_cast<int>(members.size());
  const size_t first = plan.steps.size();
  const Nodes order  = ring_in_nodes(group);
  std::vector<int> number(static_cast<size_t>(group.ranks));
  for (const auto& node : members) {
    for (size_t i = 0; i < node.size(); ++i) nth(number, node[i]) = static_cast<int>(i);
  }
  for (const auto& ring : order) {
    std::vector<std::vector<int>> blocks;
    for (const int rank : ring) {
      auto& block = blocks.emplace_back();
      for (int i = 0; i < count; ++i) block.push_back(nth(number, rank) * count + i);
    }
    turn(plan.steps, first, ring, blocks, receiver);
  }
}

void turn_between_nodes(Plan& plan, const Nodes& members, Receiver receiver) {
  const auto count   = static_cast<int>(members.size());
  const size_t first = plan.steps.size();
  for (size_t number = 0; number < members.front().size(); ++number) {
    std::vector<std::vector<int>> chunks;
    for (int i = 0; i < count; ++i) chunks.push_back({static_cast<int>(number) * count + i});
    turn(plan.steps, first, rail(members, number), chunks, receiver);
  }
}

Plan reduce_plan(const Group& group) {
  const Nodes members = nodes(group);
  Plan result{group.ranks, {}};
  turn_in_nodes(result, group, members, Receiver::adds);
  turn_between_nodes(result, members, Receiver::adds);
  turn_between_nodes(result, members, Receiver::replaces);
  turn_in_nodes(result, group, members, Receiver::replaces);
  return result;
}

// Rank (i, l) gives (i, l + s) all that goes to numbers l + s; then (i, l) gives (i + s, l) all that node i has for it.
Plan exchange_plan(const Group& group) {
  const Nodes members = nodes(group);
  const size_t count = members.size(), size = members.front().size();
  Plan result{group.ranks * group.ranks, {}};
  for (size_t s = 1; s < size; ++s) {
    auto& transfers = result.steps.emplace_back();
    for (size_t i = 0; i < count; ++i) {
      for (size_t l = 0; l < size; ++l) {
        const int from = members[i][l], to = members[i][(l + s) % size];
        for (const int last : rail(members, (l + s) % size))
          transfers.push_back({from, to, from * group.ranks + last, false});
      }
    }
  }
  for (size_t s = 1; s < count; ++s) {
    auto& transfers = result.steps.emplace_back();
    for (size_t i = 0; i < count; ++i) {
      for (size_t l = 0; l < size; ++l) {
        const int from = members[i][l], to = members[(i + s) % count][l];
        for (const int origin : members[i]) transfers.push_back({from, to, origin * group.ranks + to, false});
      }
    }
  }
  return result;
}

Plan plan(const Task& task) {
  return task.kind == Kind::all_reduce ? reduce_plan(task.group) : exchange_plan(task.group);
}

Phase rings_phase(const Nodes& orders, double share) {
  Phase phase;
  for (const auto& ring : orders) {
    for (size_t i = 0; i < ring.size(); ++i) phase.flows.push_back({ring[i], ring[(i + 1) % ring.size()], share});
  }
  return phase;
}

Phase pairs_phase(const Nodes& sets, double share) {
  Phase phase;
  for (const auto& set : sets) {
    for (const int from : set) {
      for (const int to : set) {
        if (from != to) phase.flows.push_back({from, to, share});
      }
    }
  }
  return phase;
}

FlowPlan flows(const Task& task) {
  const Nodes members = nodes(task.group);
  const auto count    = static_cast<int>(members.size());
  const int size      = equal_size(members);
  Nodes rails;
  for (int number = 0; number < size; ++number) rails.push_back(rail(members, static_cast<size_t>(number)));
  if (task.kind == Kind::all_to_all) {
    Phase in_nodes = pairs_phase(members, 1.0 / size), between = pairs_phase(rails, 1.0 / count);
    in_nodes.near_steps = size - 1;
    between.far_steps   = count - 1;
    return {{std::move(in_nodes), std::move(between)}};
  }
  Phase in_nodes      = rings_phase(ring_in_nodes(task.group), static_cast<double>(size - 1) / size);
  Phase between       = rings_phase(rails, 2.0 * (count - 1) / count / size);
  in_nodes.near_steps = size - 1;
  between.far_steps   = 2 * (count - 1);
  return {{in_nodes, std::move(between), in_nodes}};
}

}  // namespace

AlgorithmDef row() {
  return {"hierarchical",
          "within the nodes, then between ranks of one number, then within the nodes; nodes must be equal",
          "Cho et al. 2019 (BlueConnect)",
          {Kind::all_reduce, Kind::all_to_all},
          supports,
          plan,
          flows};
}

}  // namespace foreflow::collective::definitions::hierarchical
