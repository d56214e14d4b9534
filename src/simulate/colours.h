// Colours of streams, instances and links, for folding (fold.h). Two of them have equal colours if the refinement has
// not distinguished them yet.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "foreflow/simulate/disturbance.h"
#include "simulate/footprint.h"
#include "simulate/hash.h"

namespace foreflow::simulate {

// `colour`, mixed with all of a footprint except its members and the links that it crosses.
Colour colour_of(const Footprints& footprints, const Footprint& footprint, Colour colour);

struct Colours {
  std::vector<Colour> streams, instances, links;
};

// Refines until nothing changes. Nothing when there are more than `most` different streams.
std::optional<Colours> refined_colours(const stream::Program& program, const Footprints& footprints,
                                       const platform::Platform& platform, const Disturbances& disturbances,
                                       size_t most);

}  // namespace foreflow::simulate
