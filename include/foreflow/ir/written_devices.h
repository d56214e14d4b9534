// Which devices of a stage a program has, where some represent others (ir/replicas.h).
#pragma once

#include <cstdint>

namespace foreflow::ir {

// The devices of a stage are those of its ranks, one rank after the other, and those of a rank are its shards. Of
// either, the program may have the first two, of which the second represents all that follow. With 4 shards and 3
// ranks, of both of which two are written:
//
//   device of the program     0    1        2     3
//   shard of rank             0 0  1 0      0 1   1 1
//   stands for the devices    0    1 2 3    4 8   5 6 7 9 10 11
//
// Devices count from 0 here. Those of the next stage follow.
struct WrittenDevices {
  int32_t shards  = 0;  // above 0: the number of shards, of which two are written
  int32_t ranks   = 0;  // above 0: the number of ranks, of which two are written
  int32_t of_rank = 1;  // with `ranks`: the written devices of a rank; 2 with `shards`

  bool all() const { return shards == 0 && ranks == 0; }
  bool is_first_shard(int32_t written) const { return shards == 0 || written % 2 == 0; }
  bool is_first_rank(int32_t written) const { return ranks == 0 || written / of_rank % 2 == 0; }

  // The number of devices that a written one stands for.
  int32_t copies(int32_t written) const {
    return (is_first_shard(written) ? 1 : shards - 1) * (is_first_rank(written) ? 1 : ranks - 1);
  }
  // The first of them.
  int32_t first(int32_t written) const {
    if (ranks == 0) return in_shards(written);
    const int32_t rank = written / of_rank;
    return (rank / 2 * ranks + rank % 2) * devices_of_rank() + in_shards(written % of_rank);
  }
  // The number of devices of the stages of the first `written` ones.
  int32_t count(int32_t written) const {
    const int32_t together = ranks > 0 ? 2 * of_rank : shards > 0 ? 2 : 1;
    return first((written + together - 1) / together * together);
  }

  // The number of devices of a rank.
  int32_t devices_of_rank() const { return in_shards(of_rank); }
  // The shard and the rank of a device among those of its stage, and the written device that represents it.
  int32_t shard_of(int32_t device) const { return shards > 0 ? device % shards : 0; }
  int32_t rank_of(int32_t device) const { return ranks > 0 ? device / devices_of_rank() % ranks : 0; }
  int32_t written(int32_t device) const {
    if (ranks == 0) return of_shards(device);
    const int32_t all = devices_of_rank(), rank = device / all, second = rank % ranks > 0 ? 1 : 0;
    return (rank / ranks * 2 + second) * of_rank + of_shards(device % all);
  }

 private:
  int32_t in_shards(int32_t written) const { return shards > 0 ? written / 2 * shards + written % 2 : written; }
  int32_t of_shards(int32_t device) const {
    return shards > 0 ? device / shards * 2 + (device % shards > 0 ? 1 : 0) : device;
  }
};

}  // namespace foreflow::ir
