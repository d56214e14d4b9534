#include "foreflow/stream/host_times.h"

#include <algorithm>

namespace foreflow::stream {

bool has_hosts(const Program& program) {
  const auto costs = [](const auto& event) { return event.issue.costs(); };
  return std::any_of(program.computes.begin(), program.computes.end(), costs) ||
         std::any_of(program.communications.begin(), program.communications.end(), costs);
}

}  // namespace foreflow::stream
