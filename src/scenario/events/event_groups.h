// The group of devices of a message, and how long the message takes alone.
#pragma once

#include <map>
#include <vector>

#include "foreflow/ir/written_devices.h"
#include "foreflow/lower/communication.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// Devices of a program that represents replicas, shards and ranks of experts (ir/replicas.h), as ranks.
struct Ranks {
  std::vector<int> places;         // by rank, indices into platform::Platform::devices()
  int32_t first              = 1;  // the number of the first device of the program
  int32_t of_replica         = 1;  // ranks of a replica
  int replicas               = 1;
  ir::WrittenDevices written = {};  // of a replica

  // The first rank that device `number` represents, and how many do the same in a replica.
  int rank(int32_t number) const { return written.first(number - first); }
  int represented(int32_t number) const { return written.copies(number - first); }
  // The platform device of a rank of a replica.
  int place(int replica, int rank) const {
    return places[static_cast<size_t>(replica) * static_cast<size_t>(of_replica) + static_cast<size_t>(rank)];
  }
};

// Who takes part in a communication beside the devices that are written.
struct Together {
  bool replicas = false;  // those of every replica
  bool shards   = false;  // the shards that the second shard represents
  bool ranks    = false;  // the ranks that the second rank represents
};

// The platform devices of a communication, in rank order. `members`: numbers of devices.
std::vector<int> group_of(const Ranks& ranks, const std::vector<int32_t>& members, const Together& together);
// How many such communications the devices of a replica have where a program has one.
int count_of(const Ranks& ranks, const std::vector<int32_t>& members, const Together& together);

// How long `what` takes among these devices when nothing else is on the links.
Seconds time_alone(const stream::Communication& what, const std::vector<int>& devices,
                   const platform::Platform& platform);

}  // namespace foreflow::scenario
