// Ways through a dragonfly that need not be the shortest.
#pragma once

#include <vector>

#include "platform/blueprint.h"

namespace foreflow::platform {

// A cable between two groups.
struct Crossing {
  int from, to;  // routers
  int trunk;
};

// The routers of a group have numbers in a row, and every two of them are joined. Trunks are numbered group by group,
// router by router, and then come those between groups.
struct DragonflyWires {
  int groups = 0, routers = 0;                   // of a group
  int places = 0;                                // outlets of a group
  std::vector<std::vector<Crossing>> crossings;  // [pair(from, to)]: as often as they are wide

  size_t pair(int from_group, int to_group) const {
    return static_cast<size_t>(from_group) * static_cast<size_t>(groups) + static_cast<size_t>(to_group);
  }
};

// By way of another group, which a hash of both ends chooses (Valiant, 1982).
FabricPath valiant_path(DragonflyWires wires);

// As UGAL (Singh, 2005): a message takes the shortest way unless its queue is more than twice as long as that of a way
// round, which has twice as many links between groups. A route may not depend on the moment here, so the queues are
// those of the traffic that such a message belongs to: all devices send equally far, as in a ring, a pipeline, a round
// of an all-to-all. Of n messages from one group to another, whose cables carry c at once,
//
//   max(min(n, c), ceil(2 n / (g + 1)))
//
// go directly where there are g groups: with this number, the queue of the direct cable is twice that of the others,
// over which the ways round share 2 (n - direct) / (g - 1) messages. The ways round take the other groups in turns.
FabricPath ugal_path(DragonflyWires wires);

// How many of `messages` go directly, as above.
int direct_of(int messages, int cables, int groups);

}  // namespace foreflow::platform
