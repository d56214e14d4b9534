// Streams that do the same at the same times are simulated once. Streams, communications and links get colours that are
// refined until those of one colour have the same surroundings (colour refinement; Weisfeiler and Leman, 1968): equal
// streams meet in equal communications, which load equal links, which equal communications cross. Whatever then happens
// to one of a colour happens to all, so one of each is enough, with the loads of all that cross the same link added up.
// Exact; what differs (a straggler, a fault, a stage) has a colour of its own from the beginning.
#pragma once

#include <optional>

#include "foreflow/simulate/disturbance.h"
#include "simulate/cast.h"
#include "simulate/footprint.h"

namespace foreflow::simulate {

struct Folded {
  Cast cast;
  Footprints footprints;  // of the examples of its meetings; loads are those on one link of each colour
};

// Nothing where folding saves less than half of the streams or would not be exact (jitter, relays). The last loads of
// `footprints` are those of Disturbances::background.
std::optional<Folded> fold(const stream::Program& program, const Footprints& footprints,
                           const platform::Platform& platform, const Disturbances& disturbances);

}  // namespace foreflow::simulate
