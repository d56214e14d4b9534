// Replicas and links that are images of each other under a rotation of the platform. If the next replicas stand like
// the first ones, one part of the machine further, the first replicas and the first links of all orbits stand for all.
//
//   devices   0 1 2 3 | 4 5 6 7 | 8 9 10 11      three parts
//   replica   0   1     2   3     4   5          replicas 2 and 4 are images of 0, and 3 and 5 of 1
#pragma once

#include <cstdint>
#include <vector>

#include "foreflow/platform/platform.h"
#include "foreflow/simulate/disturbance.h"
#include "foreflow/stream/compact.h"
#include "simulate/footprint/phase.h"

namespace foreflow::simulate {

struct Orbits {
  int32_t replicas;          // the first ones, which stand for all
  int32_t images;            // of each of them, itself included
  platform::Rotation links;  // of as many parts as there are images

  int32_t example(int32_t replica) const { return replica % replicas; }
};

// Every replica and every link by itself.
Orbits each_alone(const stream::CompactProgram& program, const platform::Platform& platform);

// Each alone if the platform has no rotation, disturbances tell devices or links apart, or replicas stand otherwise.
// Requires that the rotation keeps the communications among all replicas, which are_kept() finds out afterwards.
Orbits orbits_of(const stream::CompactProgram& program, const platform::Platform& platform,
                 const Disturbances& disturbances);

// Returns true if the rotation makes the load of itself. Crossings are in the order of links.
bool is_kept(const Load& load, const platform::Rotation& rotation);

}  // namespace foreflow::simulate
