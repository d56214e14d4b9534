// The distribution of the ranks of a group over nodes.
#pragma once

#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/collective/collective.h"

namespace foreflow::collective {

inline int node_of(const Group& group, int rank) { return group.node.empty() ? rank : nth(group.node, rank); }
inline bool is_far(const Group& group, int from, int to) { return node_of(group, from) != node_of(group, to); }

// The ranks of each node, ascending, without relays.
std::vector<std::vector<int>> nodes(const Group& group);

// The number of ranks per node if all nodes have the same number; otherwise 0.
int equal_size(const std::vector<std::vector<int>>& nodes);

// All ranks, node after node. Rank 0 comes first.
std::vector<int> node_major(const Group& group);

// The channels: Group::rings, or one ring node by node.
std::vector<std::vector<int>> rings(const Group& group);

// The ranks of each node in the order of the first ring.
std::vector<std::vector<int>> ring_in_nodes(const Group& group);

// A phase of a single step in which all flows run at once. The step counts as far when one of its flows is.
Phase step(const Group& group, std::vector<Flow> flows);

// Adds up flows between the same two ranks, in order of first appearance.
std::vector<Flow> merged(const std::vector<Flow>& flows, int devices);

// An all-reduce in two steps: rank r adds up part r of all ranks, and sends the sum to all.
Plan part_by_part(int ranks);

bool any_group(Kind kind, const Group& group);  // two ranks or more; a send: two

}  // namespace foreflow::collective
