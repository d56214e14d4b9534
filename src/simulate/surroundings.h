// What happens to the network besides the program: links whose bandwidth changes, flows of others.
#pragma once

#include <string>
#include <vector>

#include "foreflow/platform/platform.h"
#include "foreflow/simulate/disturbance.h"
#include "simulate/network.h"

namespace foreflow::simulate {

struct Surroundings {
  struct Change {
    double at;
    int32_t link;  // index into Network::capacities
    double capacity;
  };
  struct Source {
    int32_t load;  // index into Footprints::loads
    double bytes, limit, first, period, until;
  };

  std::vector<Change> changes;       // ascending
  std::vector<Source> sources;
  std::vector<std::string> link_of;  // names of links that change, by index into Network::capacities; others are ""
};

// Throws Error when something is out of range: devices, links, factors, times, bytes.
void check(const Disturbances& disturbances, const platform::Platform& platform);

// The platform's numbers of the links that change.
std::vector<int> changing_links(const Disturbances& disturbances);

// Adds a load for each background to `footprints`.
std::vector<Surroundings::Source> sources(const Disturbances& disturbances, const platform::Platform& platform,
                                          Footprints& footprints);

// `network.specials` are changing_links().
Surroundings surroundings(const Disturbances& disturbances, const platform::Platform& platform,
                          const Network& network, std::vector<Surroundings::Source> sources);

}  // namespace foreflow::simulate
