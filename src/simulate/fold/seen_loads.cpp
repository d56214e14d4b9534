#include "simulate/fold/seen_loads.h"

namespace foreflow::simulate {
namespace {

// By load: 1 if communications of all replicas have it.
std::vector<char> own_images(const Footprints& footprints, const RealGroups& groups) {
  std::vector<char> own(footprints.loads.size(), 0);
  for (const RealGroups::Row& row : groups.rows) {
    if (row.replica >= 0 || row.footprint < 0) continue;
    for (const Phase& phase : footprints.phases_of(nth(footprints.distinct, row.footprint))) {
      if (phase.load >= 0) nth(own, phase.load) = 1;
    }
  }
  return own;
}

}  // namespace

SeenLoads::SeenLoads(const Footprints& footprints, const RealGroups& groups, const platform::Rotation& rotation)
    : footprints_(footprints) {
  if (rotation.parts() == 1) return;
  const std::vector<char> own_image = own_images(footprints, groups);
  first_.push_back(0);
  for (size_t i = 0; i < footprints.loads.size(); ++i) {
    for (const auto& [link, weight] : footprints.loads[i].crossings) {
      if (own_image[i] == 0 || rotation.is_first(link)) crossings_.push_back({rotation.orbit(link), weight});
    }
    first_.push_back(crossings_.size());
  }
}

}  // namespace foreflow::simulate
