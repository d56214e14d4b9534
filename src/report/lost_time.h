// Computes lose time to collectives beside them (simulate/streams/processor_sharing.h). Mostly the records of computes
// include it; where something else took time between them and the wait that it is charged at, that wait lasts for it.
#pragma once

#include <cstddef>

#include "foreflow/base/nth.h"
#include "foreflow/stream/timeline.h"

namespace foreflow::report {

// Returns the item of a stream whose time the record of item `i` is: the last compute before it for a hand-over that
// lasts, otherwise `i`.
inline size_t whose_time(const stream::Program& program, const stream::Timeline& timeline, size_t stream, size_t i) {
  const auto& items   = program.streams[stream].items;
  const auto& records = timeline.records[stream];
  const auto takes    = [&](size_t item) { return records[item].end > records[item].start; };
  if (items[i].instance < 0 || !takes(i)) return i;
  const stream::Instance& instance = nth(program.instances, items[i].instance);
  const bool waits = stream::is_hand_over(program, instance) && static_cast<size_t>(instance.members[1]) == stream;
  if (!waits) return i;
  size_t last = i;
  while (last > 0 && (items[last].instance >= 0 || !takes(last))) --last;
  return items[last].instance < 0 ? last : i;
}

}  // namespace foreflow::report
