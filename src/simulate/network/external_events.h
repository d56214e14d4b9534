// Events that do not come from the program: capacity changes of links and background flows.
#pragma once

#include <string>
#include <vector>

#include "foreflow/platform/platform.h"
#include "foreflow/simulate/disturbance.h"
#include "foreflow/simulate/disturbance_kind.h"
#include "simulate/network/network.h"

namespace foreflow::simulate {

struct ExternalEvents {
  struct Change {
    double at;
    int32_t link;  // index into Network::capacities
    double capacity;
    int32_t load = -1;  // index into Footprints::loads: the limit of each flow of it changes instead; -1: none
  };
  struct Source {
    int32_t load;  // index into Footprints::loads
    double bytes, limit, first, period, until;
  };

  std::vector<Change> changes;  // ascending
  std::vector<Source> sources;
  // By index into Network::capacities: the name of a link that changes; "" for others.
  std::vector<std::string> link_of;
};

// The links whose capacity changes: indices into platform::Platform::links().
std::vector<int> changing_links(const Disturbances& disturbances);

// The background flows. Appends one load for each of them to `footprints`.
std::vector<ExternalEvents::Source> sources(const Disturbances& disturbances, const platform::Platform& platform,
                                            Footprints& footprints);

// `network.specials` are changing_links(), and the footprints those that it is made of.
ExternalEvents external_events(const Disturbances& disturbances, const platform::Platform& platform,
                               const Network& network, const Footprints& footprints,
                               std::vector<ExternalEvents::Source> sources);

}  // namespace foreflow::simulate
