// Footprint of a communication on the network, the same for every engine: a sequence of phases, each a delay followed
// by one flow over all links that any of its messages crosses. Computed once for each distinct (communication,
// members).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/platform/platform.h"
#include "foreflow/simulate/disturbance.h"
#include "foreflow/stream/timeline.h"
#include "simulate/footprint/phase.h"
#include "simulate/footprint/relay.h"

namespace foreflow::simulate {

// A phase that moves hop by hop.
struct RelayPlan {
  RelayShape shape;
  Seconds latency;             // of a step
  Course latencies;            // seconds, where links change: of a step that begins then
  std::vector<int32_t> loads;  // of the hops, around each ring
  std::vector<int32_t> rings;  // how many hops each has
};

struct Footprint {
  int32_t first, count;                                 // its phases
  int32_t example;                                      // an instance with this footprint
  Bytes bytes;                                          // of the communication; a link carries weight * bytes
  const collective::AlgorithmDef* algorithm = nullptr;  // that its phases are of; null: of none
};

struct Footprints {
  std::vector<Load> loads;
  std::vector<Phase> phases;
  std::vector<RelayPlan> relays;
  std::vector<Footprint> distinct;
  std::vector<int32_t> of_instance;  // index into distinct; -1: a hand-over

  const Footprint& of(size_t instance) const { return nth(distinct, of_instance[instance]); }
  std::span<const Phase> phases_of(const Footprint& footprint) const {
    return std::span(phases).subspan(static_cast<size_t>(footprint.first), static_cast<size_t>(footprint.count));
  }
};

// Throws Error when two members have no route.
Footprints footprints(const stream::Program& program, const platform::Platform& platform,
                      const std::vector<LinkTrace>& traces = {});

// The platform device of each rank of the instance.
std::vector<int> places_of(const stream::Program& program, const stream::Instance& instance);

// As Timeline::algorithms.
std::vector<const collective::AlgorithmDef*> algorithms(const Footprints& footprints);

// As Timeline::loads.
std::vector<std::vector<stream::Crossing>> crossings(const Footprints& footprints);

}  // namespace foreflow::simulate
