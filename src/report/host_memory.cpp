#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/report/memory.h"
#include "foreflow/stream/host_copy.h"

namespace foreflow::report {

Bytes host_peak(const stream::Program& program, const stream::Timeline& timeline, int device) {
  const bool any =
      std::any_of(program.communications.begin(), program.communications.end(),
                  [](const auto& communication) { return stream::host_copy(communication) != stream::HostCopy::none; });
  if (!any) return Bytes(0);
  std::vector<std::pair<Seconds, Bytes>> changes;
  for (size_t s = 0; s < program.streams.size(); ++s) {
    const stream::Stream& stream = program.streams[s];
    if (stream.device != device) continue;
    for (size_t i = 0; i < timeline.records[s].size(); ++i) {
      const stream::Item& item =
          stream.items[i % stream.items.size()];  // a job of several iterations plays its items as often
      if (item.instance < 0) continue;
      const auto& communication   = nth(program.communications, item.event);
      const stream::HostCopy copy = stream::host_copy(communication);
      if (copy == stream::HostCopy::to_host) changes.emplace_back(timeline.records[s][i].start, communication.bytes);
      if (copy == stream::HostCopy::from_host)
        changes.emplace_back(timeline.records[s][i].end, Bytes(0) - communication.bytes);
    }
  }
  std::sort(changes.begin(), changes.end());
  Bytes level, most;
  for (const auto& [time, change] : changes) {
    level += change;
    most = std::max(most, level);
  }
  return most;
}

}  // namespace foreflow::report
