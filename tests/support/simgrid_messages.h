// What SimGrid itself says of messages on a platform file, as it is configured there.
#pragma once

#include <string>
#include <vector>

namespace foreflow::test {

struct SimgridMessage {
  std::string from, to;  // hosts
  double bytes;          // a whole number
  double start;          // seconds
};

// When each of them ends, in seconds; all are in one simulation.
std::vector<double> simgrid_messages(const std::string& path, const std::vector<SimgridMessage>& messages);

}  // namespace foreflow::test
