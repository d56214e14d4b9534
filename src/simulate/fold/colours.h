// Colours of streams, instances and links, for folding (fold.h, fold_compact.h). Two of them have equal colours if the
// refinement has not distinguished them yet.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "foreflow/simulate/disturbance.h"
#include "simulate/footprint/footprint.h"
#include "simulate/hash.h"

namespace foreflow::simulate {

// `colour`, mixed with all of a footprint except its members and the links that it crosses.
Colour colour_of(const Footprints& footprints, const Footprint& footprint, Colour colour);

// Mixes into the colours of links, by link, what disturbances do to each. The last loads of `footprints` are those of
// Disturbances::background.
void mix_disturbances(const Disturbances& disturbances, const Footprints& footprints, std::vector<Colour>& links);

size_t count_different(const std::vector<Colour>& colours);

struct Colours {
  std::vector<Colour> streams, instances, links;
};

// Refines until nothing changes. Nothing when there are more than `most` different streams.
std::optional<Colours> refined_colours(const stream::Program& program, const Footprints& footprints,
                                       const platform::Platform& platform, const Disturbances& disturbances,
                                       size_t most);

}  // namespace foreflow::simulate
