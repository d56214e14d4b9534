// The topologies of a <cluster>, one file each.
#pragma once

#include "platform/zones/cluster.h"

namespace foreflow::platform::zones {

ClusterTopology flat_cluster();
ClusterTopology torus_cluster();
ClusterTopology fat_tree_cluster();
ClusterTopology dragonfly_cluster();

// The cable of which the name ends in the count of all cables made so far.
std::vector<int> like_by_count(const Cluster& cluster, std::string_view name);

}  // namespace foreflow::platform::zones
