// How fast bytes move over the busiest links, over time.
#pragma once

#include <string>
#include <vector>

#include "foreflow/report/summary.h"

namespace foreflow::report {

struct LoadPoint {
  Seconds time;
  BytesPerSecond rate;  // from here until the next point
};

struct LinkLoad {
  std::string link;
  std::vector<LoadPoint> points;  // times increase; ends at rate 0
};

// The `most` links with the highest utilization. Flows whose paces were not observed spread their bytes evenly.
std::vector<LinkLoad> link_loads(const Summary& summary, const stream::Program& program,
                                 const stream::Timeline& timeline, const platform::Platform& platform, size_t most);

}  // namespace foreflow::report
