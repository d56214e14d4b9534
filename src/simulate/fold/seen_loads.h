// The loads of a compact program as the first links of orbits see them.
#pragma once

#include <span>
#include <vector>

#include "simulate/fold/compact_colours.h"

namespace foreflow::simulate {

// Images of a load of one replica cross the first link of an orbit wherever the load itself crosses another link of it.
// The load of a communication of all replicas is its own image (are_kept).
class SeenLoads {
 public:
  // All must outlive it.
  SeenLoads(const Footprints& footprints, const RealGroups& groups, const platform::Rotation& rotation);

  // The crossings of a load, with orbits in place of links.
  std::span<const stream::Crossing> of(size_t load) const {
    if (first_.empty()) return footprints_.loads[load].crossings;
    return std::span(crossings_).subspan(first_[load], first_[load + 1] - first_[load]);
  }

 private:
  const Footprints& footprints_;
  std::vector<size_t> first_;  // by load; empty where each link is an orbit
  std::vector<stream::Crossing> crossings_;
};

}  // namespace foreflow::simulate
