// The items of one device's streams in the order of time.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "foreflow/stream/timeline.h"

namespace foreflow::report {

// One item of a device: `stream` is the number among the device's own.
struct Played {
  size_t stream, item;
};

// The items of a stream follow each other, so one alone needs no order.
template <class Begin, class End>
void play_alone(const std::vector<stream::Record>& records, Begin begin, End end) {
  for (size_t item = 0; item < records.size(); ++item) {
    begin(Played{0, item}, records[item].start);
    end(Played{0, item}, records[item].end);
  }
}

// Calls begin(Played, Seconds) and end(Played, Seconds) as time goes on; what ends at a moment does so before anything begins, the
// earliest first. `streams`: the device's own, by their index in the program.
template <class Begin, class End>
void play(const stream::Program& program, const stream::Timeline& timeline, const std::vector<size_t>& streams,
          Begin begin, End end) {
  if (streams.size() == 1) return play_alone(timeline.records[streams[0]], begin, end);
  std::vector<size_t> next(streams.size(), 0);
  std::vector<Played> running;  // at most one a stream, in the order of their beginning
  const auto record    = [&](const Played& played) { return timeline.records[streams[played.stream]][played.item]; };
  const auto end_until = [&](Seconds time) {
    while (!running.empty()) {
      const auto first = std::min_element(running.begin(), running.end(), [&](const Played& a, const Played& b) {
        return record(a).end < record(b).end;
      });
      if (record(*first).end > time) return;
      const Played ended = *first;
      running.erase(first);
      end(ended, record(ended).end);
    }
  };
  while (true) {
    // The stream whose next item starts first; of several the lowest.
    const stream::Record* earliest = nullptr;
    size_t chosen                  = 0;
    for (size_t i = 0; i < streams.size(); ++i) {
      if (next[i] == program.streams[streams[i]].items.size()) continue;
      const stream::Record& candidate = timeline.records[streams[i]][next[i]];
      if (earliest != nullptr && std::tie(earliest->start, earliest->end) <= std::tie(candidate.start, candidate.end))
        continue;
      earliest = &candidate;
      chosen   = i;
    }
    if (earliest == nullptr) break;
    end_until(earliest->start);
    running.push_back({chosen, next[chosen]++});
    begin(running.back(), earliest->start);
  }
  end_until(timeline.makespan);
}

}  // namespace foreflow::report
