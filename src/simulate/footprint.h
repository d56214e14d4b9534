// What a communication asks of the network, whoever simulates it: phases one after another, each a delay, then one flow
// over all the links that any of its messages crosses. Computed once for each distinct (communication, members).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foreflow/platform/platform.h"
#include "foreflow/stream/program.h"

namespace foreflow::simulate {

struct Crossing {
  int link;       // index into Platform::links()
  double weight;  // sum of the shares of the flows that cross it, as often as they do
};

struct Phase {
  Seconds delay;     // before the flow: latencies and the filling of a pipeline; or all of a fixed duration
  Seconds transfer;  // the flow when it has the network for itself; 0: there is no flow
  Bytes bytes;       // a link carries weight * bytes
  double unit;  // the largest share of which every flow's share is a multiple; what competes for a link are flows of
                // one unit
  std::vector<Crossing> crossings;  // by link number
};

struct Footprint {
  int32_t first, count;  // its phases; at least one
};

struct Footprints {
  std::vector<Phase> phases;
  std::vector<Footprint> distinct;
  std::vector<int32_t> of_instance;  // index into distinct

  const Footprint& of(size_t instance) const { return distinct[static_cast<size_t>(of_instance[instance])]; }
  std::span<const Phase> phases_of(const Footprint& footprint) const {
    return std::span(phases).subspan(static_cast<size_t>(footprint.first), static_cast<size_t>(footprint.count));
  }
};

// Throws Error when two members have no route.
Footprints footprints(const stream::Program& program, const platform::Platform& platform);

}  // namespace foreflow::simulate
