// The network as the contention solver sees it: only links that can ever be a bottleneck, and one route for each
// distinct set of loads on them. The reduction is exact: it changes no time.
#pragma once

#include <vector>

#include "simulate/footprint/footprint.h"
#include "simulate/network/fair_shares.h"

namespace foreflow::simulate {

struct Network {
  using Route = std::vector<FairShares::Crossing>;

  // A link of the platform that keeps a capacity of its own because that capacity changes during the run.
  struct Special {
    int32_t link;  // index into capacities; -1: no flow ever crosses it
    double scale;  // its capacity over the bandwidth of the platform's link
  };

  std::vector<double> capacities;  // bytes per second of a message that crosses the link once
  std::vector<Route> routes;       // over them, in messages; a flow has the pace of one message
  std::vector<int32_t> route_of;   // of each load: index into routes
  std::vector<Special> specials;   // as given
  std::vector<bool> exclusive;     // of each route: never more than one flow is on any of its links
};

// `specials`: numbers of links of the platform, each once.
Network condense(const stream::Program& program, const Footprints& footprints, const platform::Platform& platform,
                 const std::vector<int>& specials = {});

}  // namespace foreflow::simulate
