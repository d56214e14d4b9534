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

// Calls begin(Played, Seconds) and end(Played, Seconds) as time goes on; what ends at a moment does so before anything
// begins, the earliest first. `streams`: the device's own, by their index in the program.
template <class Begin, class End>
void play(const stream::Timeline& timeline, const std::vector<size_t>& streams, Begin begin, End end) {
  if (streams.size() == 1) return play_alone(timeline.records[streams[0]], begin, end);
  struct Row {
    const stream::Record *first, *next, *last;
  };
  struct Running {
    Played played;
    Seconds end;
  };
  std::vector<Row> rows;
  for (const size_t s : streams) {
    const std::vector<stream::Record>& records = timeline.records[s];
    rows.push_back({records.data(), records.data(), records.data() + records.size()});
  }
  std::vector<Running> running;  // at most one a stream, in the order of their beginning
  const auto end_until = [&](Seconds time) {
    while (!running.empty()) {
      const auto first = std::min_element(running.begin(), running.end(),
                                          [](const Running& a, const Running& b) { return a.end < b.end; });
      if (first->end > time) return;
      const Running ended = *first;
      running.erase(first);
      end(ended.played, ended.end);
    }
  };
  while (true) {
    // The stream whose next item starts first; of several the lowest.
    Row* chosen = nullptr;
    for (Row& row : rows) {
      if (row.next == row.last) continue;
      if (chosen == nullptr ||
          std::tie(row.next->start, row.next->end) < std::tie(chosen->next->start, chosen->next->end))
        chosen = &row;
    }
    if (chosen == nullptr) break;
    const stream::Record& record = *chosen->next;
    end_until(record.start);
    running.push_back(
        {{static_cast<size_t>(chosen - rows.data()), static_cast<size_t>(chosen->next - chosen->first)}, record.end});
    ++chosen->next;
    begin(running.back().played, record.start);
  }
  end_until(timeline.makespan);
}

}  // namespace foreflow::report
