// The group of devices of a message, and how long the message takes alone.
#pragma once

#include <map>
#include <vector>

#include "foreflow/lower/communication.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// Devices of a program that represents replicas and shards (ir/replicas.h), as ranks.
struct Ranks {
  std::vector<int> places;  // by rank, indices into platform::Platform::devices()
  int32_t first      = 1;   // the number of the first device of the program
  int32_t of_replica = 1;   // ranks of a replica
  int replicas       = 1;
  int shards         = 0;  // above 0: two devices represent this many shards

  // The first rank that device `number` represents, and how many do the same in a replica.
  int rank(int32_t number) const;
  int represented(int32_t number) const;
  // The platform device of a rank of a replica.
  int place(int replica, int rank) const {
    return places[static_cast<size_t>(replica) * static_cast<size_t>(of_replica) + static_cast<size_t>(rank)];
  }
};

// The platform devices of a communication, in rank order. `members`: numbers of devices; `of_all_replicas`: those of
// every replica together; `of_all_shards`: the second device of a pair represents all shards but the first.
std::vector<int> group_of(const Ranks& ranks, const std::vector<int32_t>& members, bool of_all_replicas,
                          bool of_all_shards);

// How long `what` takes among these devices when nothing else is on the links.
Seconds time_alone(const stream::Communication& what, const std::vector<int>& devices,
                   const platform::Platform& platform);

}  // namespace foreflow::scenario
