// SimGrid's own routes of a platform file, found in a child process: it allows one platform per process, and aborts on
// some errors.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace foreflow::test {

struct SimgridRoute {
  std::vector<std::string> links;
  double latency   = 0;  // seconds
  double bandwidth = 0;  // of the slowest link, bytes per second; 0: no link
};

// Host::route_to of each pair of hosts. A pair without a route has no link and no latency. Throws Error when SimGrid
// does not read the file.
std::vector<SimgridRoute> simgrid_routes(const std::string& path,
                                         const std::vector<std::pair<std::string, std::string>>& pairs);

}  // namespace foreflow::test
