// Finds the devices of a compact program that do the same at the same time, without writing out its items. Colour
// refinement (Weisfeiler and Leman, 1968) on devices, groups and links, as in fold.h:
//   1. the initial colour of a device is that of its streams by name: the pattern of the items of each, with its groups
//      numbered by first appearance, and the groups that join them (hand-overs);
//   2. the streams of devices of one colour have groups of equal colours under equal numbers;
//   3. groups of one colour have members on devices of equal colours, streams of equal names that know the group under
//      equal numbers, and load links of equal colours.
// All members take part in the executions of a group in the same order, so the nth execution of a group is the same
// item in all streams of one name on devices of one colour. One device of each colour therefore represents all of them.
// Images under a rotation of the platform have the colours of their first ones from the start (orbits.h), so only these
// are coloured, by what all of them together see.
#pragma once

#include <optional>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/simulate/disturbance.h"
#include "simulate/fold/courses.h"
#include "simulate/fold/orbits.h"
#include "simulate/footprint/coupling.h"
#include "simulate/footprint/footprint.h"
#include "simulate/hash.h"

namespace foreflow::simulate {

class GroupRouteTable;  // simulate/routes/group_routes.h

// The groups of the first replicas of all orbits, and those of all replicas, with their footprints.
struct RealGroups {
  struct Row {
    int32_t group;          // of Courses::groups()
    int32_t replica;        // -1: of all
    int32_t communication;  // into `communications`: that of the group, with the algorithm of its dimension
    int32_t footprint;      // into Footprints::distinct; -1: a hand-over
  };
  std::vector<Row> rows;
  std::vector<int32_t> first;  // per group: its first row; it has one row per first replica, or a single row
  std::vector<stream::Communication> communications;  // those of the program first

  // `replica`: one of the first of its orbit.
  int32_t row_of(const Group& group, int32_t number, int32_t replica) const {
    return nth(first, number) + (group.of_all_replicas ? 0 : replica);
  }
};

// `routes`: of the platform; null for none. Throws Error when two members have no route.
RealGroups real_groups(const stream::CompactProgram& program, const Courses& courses, const Orbits& orbits,
                       const platform::Platform& platform, const std::vector<LinkTrace>& traces,
                       GroupRouteTable* routes, Footprints& footprints);

// Who executes the example of a footprint that real_groups() made.
Execution execution_of(const stream::CompactProgram& program, const Courses& courses, const RealGroups& groups,
                       int32_t row);

// Returns true if the rotation makes each communication among all replicas of itself, as it does of a ring around them
// and not of a tree.
bool are_kept(const RealGroups& groups, const Orbits& orbits, const Footprints& footprints);

struct CompactColours {
  std::vector<Colour> devices;  // of the first replicas, as CompactProgram::devices
  std::vector<Colour> groups;   // by row
  std::vector<Colour> links;    // by orbit
};

// The last loads of `footprints` are those of Disturbances::background.
CompactColours compact_colours(const stream::CompactProgram& program, const Courses& courses, const Orbits& orbits,
                               const RealGroups& groups, const Footprints& footprints,
                               const platform::Platform& platform, const Disturbances& disturbances);

}  // namespace foreflow::simulate
