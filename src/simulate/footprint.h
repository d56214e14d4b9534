// What a communication asks of the network, whoever simulates it: a delay, then one flow over all the links that any of
// its messages crosses. Computed once for each distinct (communication, members).
#pragma once

#include <cstdint>
#include <vector>

#include "foreflow/platform/platform.h"
#include "foreflow/stream/timeline.h"

namespace foreflow::simulate {

struct Footprint {
  Seconds delay;     // before the flow: latencies and the filling of a pipeline; or all of a fixed duration
  Seconds transfer;  // the flow when it has the network for itself; 0: there is no flow
  Bytes bytes;       // a link carries weight * bytes
  double unit;  // the largest share of which every flow's share is a multiple; what competes for a link are flows of
                // one unit
  std::vector<stream::Crossing> crossings;  // by link number
};

struct Footprints {
  std::vector<Footprint> distinct;
  std::vector<int32_t> of_instance;  // index into distinct

  const Footprint& of(size_t instance) const { return distinct[static_cast<size_t>(of_instance[instance])]; }
};

// Throws Error when two members have no route.
Footprints footprints(const stream::Program& program, const platform::Platform& platform);

// As Timeline::loads, one for each distinct footprint.
std::vector<std::vector<stream::Crossing>> loads(const Footprints& footprints);

}  // namespace foreflow::simulate
