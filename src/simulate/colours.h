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

struct Colours {
  std::vector<Colour> streams, instances, links;
};

// Refines until nothing changes. Nothing when there are more than `most` different streams.
std::optional<Colours> refined_colours(const stream::Program& program, const Footprints& footprints,
                                       const platform::Platform& platform, const Disturbances& disturbances,
                                       size_t most);

}  // namespace foreflow::simulate
