// Double binary tree (Sanders, Speck and Traff, 2009; NCCL's ncclGetDtree): sums go up and come down again, in two
// trees over the nodes, each for half of the bytes; nearly every node is a leaf in one and has two children in the
// other. Within a node the ranks form a chain behind the one that talks to the other nodes. Each rail has trees of its
// own.
//
//   first tree, 8 nodes    0                  second tree: mirrored      7
//                          |                  (an odd number: moved      |
//                          4                  on by one)                 3
//                        /   \                                         /   \                   .
//                       2     6                                       5     1
//                      / \   / \                                     / \   / \                 .
//                     1   3 5   7                                   6   4 2   0
//
// Everything is pipelined in slices so small that only the latencies of the way up and down count.
#include <algorithm>

#include "collective/layout.h"
#include "foreflow/base/nth.h"

namespace foreflow::collective::definitions::tree {
namespace {

// In a tree over 0..count-1 with root 0, which has one child. -1 for the root.
int parent_in_first(int node, int count) {
  if (node == 0) return -1;
  const int low = node & -node;
  const int up  = (node ^ low) | (low << 1);
  return up < count ? up : node ^ low;
}

int parent_of(int tree, int node, int count) {
  if (tree == 0) return parent_in_first(node, count);
  const bool mirror = count % 2 == 0;
  const int parent  = parent_in_first(mirror ? count - 1 - node : (node + count - 1) % count, count);
  if (parent < 0) return -1;
  return mirror ? count - 1 - parent : (parent + 1) % count;
}

// By node and rail: where in its ring the node's chain begins.
std::vector<std::vector<size_t>> heads(const Group& group, const std::vector<std::vector<int>>& nodes) {
  std::vector<std::vector<size_t>> result;
  for (const auto& ring : nodes) {
    auto& of_node = result.emplace_back();
    std::vector<int> rails;
    for (size_t i = 0; i < ring.size(); ++i) {
      const int rail = group.rail.empty() ? ring[i] : nth(group.rail, ring[i]);
      if (std::find(rails.begin(), rails.end(), rail) != rails.end()) continue;
      rails.push_back(rail);
      of_node.push_back(i);
    }
    if (nodes.size() == 1) of_node.resize(1);
    std::sort(of_node.begin(), of_node.end(), [&](size_t a, size_t b) { return ring[a] < ring[b]; });
  }
  return result;
}

struct Tree {
  std::vector<int> parent;  // by rank; -1: the root
  std::vector<int> depth;
};

Tree tree(const std::vector<std::vector<int>>& nodes, const std::vector<std::vector<size_t>>& heads, size_t channel,
          int number, int ranks) {
  const auto count = static_cast<int>(nodes.size());
  const auto head  = [&](int node) {
    const auto at = static_cast<size_t>(node);
    return nodes[at][heads[at][channel]];
  };
  Tree result{std::vector<int>(static_cast<size_t>(ranks)), std::vector<int>(static_cast<size_t>(ranks))};
  for (int node = 0; node < count; ++node) {
    const auto at    = static_cast<size_t>(node);
    const int parent = parent_of(number, node, count);
    int before = parent < 0 ? -1 : head(parent), hops = 0;
    for (int up = parent; up >= 0; up = parent_of(number, up, count)) ++hops;
    for (size_t i = 0; i < nodes[at].size(); ++i) {
      const int rank           = nodes[at][(heads[at][channel] + i) % nodes[at].size()];
      nth(result.parent, rank) = before;
      nth(result.depth, rank)  = hops++;
      before                   = rank;
    }
  }
  return result;
}

std::vector<Tree> trees(const Group& group) {
  const auto nodes      = ring_in_nodes(group);
  const auto beginnings = heads(group, nodes);
  size_t channels       = beginnings.front().size();
  for (const auto& of_node : beginnings) channels = std::min(channels, of_node.size());
  std::vector<Tree> result;
  for (size_t channel = 0; channel < channels; ++channel) {
    for (const int number : {0, 1}) result.push_back(tree(nodes, beginnings, channel, number, group.ranks));
  }
  return result;
}

Plan plan(const Task& task) {
  const auto all = trees(task.group);
  int deepest    = 0;
  for (const Tree& one : all) deepest = std::max(deepest, *std::max_element(one.depth.begin(), one.depth.end()));
  Plan result{static_cast<int>(all.size()), std::vector<std::vector<Transfer>>(static_cast<size_t>(2 * deepest))};
  for (size_t chunk = 0; chunk < all.size(); ++chunk) {
    for (int rank = 0; rank < task.group.ranks; ++rank) {
      const int parent = nth(all[chunk].parent, rank), depth = nth(all[chunk].depth, rank);
      if (parent < 0) continue;
      nth(result.steps, deepest - depth).push_back({rank, parent, static_cast<int>(chunk), true});
      nth(result.steps, deepest + depth - 1).push_back({parent, rank, static_cast<int>(chunk), false});
    }
  }
  return result;
}

FlowPlan flows(const Task& task) {
  Phase all;
  std::vector<Flow> messages;
  for (const Phase& one : stepwise(plan(task), task).phases) {
    all.near_steps += one.near_steps;
    all.far_steps += one.far_steps;
    messages.insert(messages.end(), one.flows.begin(), one.flows.end());
  }
  all.flows = merged(messages, task.group.ranks);
  return {{std::move(all)}};
}

}  // namespace

AlgorithmDef row() {
  return {"tree",
          "up and down two binary trees over the nodes, chains inside them; latency grows with the logarithm",
          "Sanders, Speck and Traff 2009; NCCL src/graph/trees.cc",
          {Kind::all_reduce},
          any_group,
          plan,
          flows};
}

}  // namespace foreflow::collective::definitions::tree
