// Folding: streams that behave identically are simulated once. Colour refinement (Weisfeiler and Leman, 1968) gives
// streams, communications and links colours and splits them until
//   1. streams of one colour take part in communications of equal colours, in the same order;
//   2. communications of one colour load links of equal colours;
//   3. links of one colour are crossed by communications of equal colours.
// Then whatever happens to one member of a colour happens to all, so one representative of each is simulated, and the
// loads of all that cross one link are added up. The result is exact. What differs (a straggler, a faulty link, a
// stage) has a colour of its own from the beginning.
#pragma once

#include <optional>

#include "foreflow/simulate/disturbance.h"
#include "simulate/footprint/footprint.h"
#include "simulate/streams/participants.h"

namespace foreflow::simulate {

struct Folded {
  Participants participants;
  Footprints footprints;  // of the examples of its meetings; loads are those on one link of each colour
};

// Nothing where folding saves less than half of the streams or would not be exact (jitter, relays). The last loads of
// `footprints` are those of Disturbances::background.
std::optional<Folded> fold(const stream::Program& program, const Footprints& footprints,
                           const platform::Platform& platform, const Disturbances& disturbances);

}  // namespace foreflow::simulate
