// Platform files as SimGrid's own users write them, of every kind of zone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace foreflow::test {

struct SimgridFile {
  std::string name;
  std::string xml;
};

// Clusters of every topology with every kind of link, one or two in a file.
std::vector<SimgridFile> cluster_files();

// What SimGrid reads beyond its manual: zeros for links that are not, too many hosts for a topology, names given twice.
std::vector<SimgridFile> odd_files();

// One zone of this routing ("Floyd", "Dijkstra") with random routes.
SimgridFile random_graph_file(const std::string& routing, uint64_t seed);

// Zones in zones of random routings, with bypasses.
SimgridFile random_zones_file(uint64_t seed);

}  // namespace foreflow::test
