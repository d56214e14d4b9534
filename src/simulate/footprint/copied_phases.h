// Phases of one group of devices on the links of another that is like it, so that what equal servers do is worked out
// once.
#pragma once

#include <cstdint>
#include <vector>

#include "foreflow/collective/collective.h"
#include "foreflow/stream/program.h"
#include "simulate/footprint/load_table.h"
#include "simulate/routes/device_groups.h"

namespace foreflow::simulate {

class CopiedPhases {
 public:
  // Copies are added to `phases`, their loads to `loads`. All arguments must outlive it.
  CopiedPhases(const DeviceGroups& groups, LoadTable& loads, std::vector<Phase>& phases)
      : groups_(groups), loads_(loads), phases_(phases) {}

  // Adds a copy of the phases that an equal communication has in a group that is like `group`, on the links of `group`.
  // Returns their algorithm; null: none are known.
  const collective::AlgorithmDef* add(size_t group, const stream::Communication& communication);
  // From phase `first` on, `phases` holds those of the communication in `group`.
  void keep(size_t group, const stream::Communication& communication, size_t first,
            const collective::AlgorithmDef* algorithm);

 private:
  struct Original {
    collective::Kind kind;
    const collective::AlgorithmDef* asked;  // by the communication
    Bytes bytes;
    Seconds start;
    size_t group;
    size_t first, last;  // of phases_
    const collective::AlgorithmDef* algorithm;
  };

  // The load of another group, on the links of this one.
  struct Copy {
    int32_t load;
    uint32_t from;  // the other group
    int32_t copy;
    int32_t next;  // of copies_: the next of this group
  };

  // Relays are devices outside the group.
  static bool may_use_relays(const stream::Communication& communication) {
    return communication.kind == collective::Kind::send && communication.algorithm->wants_relays;
  }
  const Original* find(size_t group, const stream::Communication& communication) const;
  int32_t copy_load(int32_t number, size_t from, size_t to);

  const DeviceGroups& groups_;
  LoadTable& loads_;
  std::vector<Phase>& phases_;
  std::vector<std::vector<Original>> originals_;  // by pattern
  std::vector<int32_t> newest_;                   // by group, of copies_: the first; -1: it has none
  std::vector<Copy> copies_;
};

}  // namespace foreflow::simulate
